import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type ExplainResponseSchema,
  Framing as FramingValue,
} from "../../../gen/engage/parser/v1/parser_explainer_pb.ts";
import type { ParserConfig } from "../config.ts";
import type { Formats } from "../formats/formats.ts";
import { type Batch, type BatchWitness, createBatchParser } from "../line/batch.ts";
import { type Framing, visitItems, visitLines, visitWhole } from "../line/framing.ts";
import { type Format, isFailure, type LineFailure } from "../line/line.ts";
import type { LinePlace, LineVisitor } from "../line/segment.ts";
import { type Separators, separatorsOf } from "../line/separators.ts";
import type { ItemOrigin } from "../output/content-writer.ts";
import { createTokenList } from "./tokens.ts";

/** Lines of one response. */
export const maxLines = 1_000;

export interface ExplainableFormats {
  readonly config: Pick<ParserConfig, "separator" | "indexSeparator" | "recordSeparator" | "maxLineBytes">;
  readonly formats: Pick<Formats, "formatNamed">;
  readonly formatFor: (index: string) => Format | undefined;
}

export type Explanation = Omit<
  MessageInitShape<typeof ExplainResponseSchema>,
  "$typeName" | "$unknown" | "configuration" | "warnings"
>;

type Line = NonNullable<Explanation["lines"]>[number];

export type ExplainableContent = Pick<Batch, "content" | "framing" | "index">;

/**
 * Parses a content with the parser of batches, and returns how it was split and parsed. Counts and dead letters of the
 * batch are discarded. Lines after the first ones are not parsed.
 */
export function explainBatch(given: ExplainableContent, using: ExplainableFormats): Explanation {
  const { framing, index } = given;
  const separators = separatorsOf(using.config);
  const { content, omitted: omittedLines } = firstLines(given, separators);
  const tokenList = createTokenList(framing, Buffer.byteLength(separators.item), content.length);
  const lines = createLineList(using.formats);
  const parse = createBatchParser({
    formatFor: using.formatFor,
    maxLineBytes: using.config.maxLineBytes,
    separators,
    now: () => 0,
  });
  const batch = { content, framing, index, source: "explain" };
  const parsed = parse(batch, undefined, {
    place(place) {
      tokenList.add(place);
      lines.place(place);
    },
    parsed: lines.parsed,
    revoked: lines.revoked,
  });
  const { tokens, omitted: omittedTokens } = tokenList.close();
  return {
    framing: framingValues[framing],
    separators,
    tokens: [...tokens],
    omittedTokens,
    lines: lines.list,
    omittedLines,
    content: parsed.content,
  };
}

export const framingValues: Readonly<Record<Framing, FramingValue>> = {
  items: FramingValue.ITEMS,
  lines: FramingValue.LINES,
  none: FramingValue.NONE,
};

/** Cuts a content after the last line that is explained, and counts the others. */
function firstLines(
  { content, framing, index }: ExplainableContent,
  separators: Separators,
): { readonly content: Uint8Array; readonly omitted: number } {
  let count = 0;
  let end = 0;
  const visitor: LineVisitor = {
    place(place) {
      count++;
      if (count <= maxLines) ({ end } = place);
    },
    visit() {},
  };
  if (framing === "items") visitItems(content, separators, visitor);
  else if (framing === "lines") visitLines(content, index, visitor);
  else visitWhole(content, index, visitor);
  if (count <= maxLines) return { content, omitted: 0 };
  return { content: content.subarray(0, end), omitted: count - maxLines };
}

interface LineList extends BatchWitness {
  readonly list: Line[];
}

function createLineList(formats: Pick<Formats, "formatNamed">): LineList {
  const list: Line[] = [];
  const numbers = new Map<ItemOrigin, number>();
  let last: LinePlace | undefined;
  return {
    list,
    place(place) {
      last = place;
    },
    parsed(origin, result) {
      const { index, format } = origin;
      const { dataStart = 0, dataEnd = 0 } = last ?? {};
      numbers.set(origin, list.length);
      list.push({
        lineNumber: list.length,
        ...(index !== undefined && { index }),
        format: format ?? "",
        offset: dataStart,
        length: dataEnd - dataStart,
        fieldLists: fieldListsOf(origin, result, formats),
        outcome: isFailure(result)
          ? { case: "error", value: { reason: result.reason, message: result.message } }
          : { case: "records", value: { json: [...result] } },
      });
    },
    revoked(origin, { reason, message }) {
      const line = list[numbers.get(origin)!];
      if (line !== undefined) line.outcome = { case: "error", value: { reason, message } };
    },
  };
}

/** Reads the fields of a line with the reader of its format. */
function fieldListsOf(
  { index = "", format, line }: ItemOrigin,
  result: readonly string[] | LineFailure,
  { formatNamed }: Pick<Formats, "formatNamed">,
): NonNullable<Line["fieldLists"]> {
  const read = format === undefined ? undefined : formatNamed(format)?.readFields;
  if (read === undefined || (isFailure(result) && result.reason === "line_too_long")) return [];
  const found = read(line, index);
  if (isFailure(found)) return [];
  return found.map((fields) => ({
    fields: Object.entries(fields).map(([name, value]) => ({ name, json: JSON.stringify(value) ?? "null" })),
  }));
}
