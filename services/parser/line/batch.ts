import type { DeadLetterBatch } from "../../../store/deadletters/deadletters.ts";
import type { IsKept } from "../config.ts";
import { type Answer, compileAnswer } from "../output/answer.ts";
import { createKeptRecords, type KeptRecords } from "../output/kept-records.ts";
import { createLetterBox, type LetterBox } from "../output/letters.ts";
import { endsWithLineFeed, type Framing, visitItems, visitLines, visitWhole } from "./framing.ts";
import { isFailure, refuse } from "./line.ts";
import { createLineParser, type LineParser, type LineParserOptions } from "./line-parser.ts";
import type { Separators } from "./separators.ts";
import { type BatchCounts, createTally, type Tally } from "./tally.ts";
import type { LineVisitor } from "./window.ts";

export interface Batch {
  readonly content: Uint8Array;
  readonly framing: Framing;
  /** INDEX of all lines where the framing carries none; empty when the call names none either. */
  readonly index: string;
  /** Named in dead letters. */
  readonly source: string;
}

/** The answer has as many items as the batch, in its order. Small byte arrays may lie in the pool that Node shares. */
export interface ParsedBatch {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly counts: BatchCounts;
  readonly letters: DeadLetterBatch;
  /** The records that are to be stored, as a JSON array; undefined when there are none. */
  readonly kept?: Uint8Array<ArrayBuffer> | undefined;
}

export interface BatchParserOptions extends LineParserOptions {
  readonly separators: Separators;
  readonly isKept?: IsKept | undefined;
  /** Clock in ms since 1970, for dead letters. */
  readonly now: () => number;
}

/** Watches a batch item by item; an item that may not begin is answered `{}` without being parsed. */
export interface ItemGuide {
  begin(item: number): boolean;
}

/** Parses one content. Never throws: a line that can't be parsed is the item `{}`, counted and kept as a letter. */
export type ParseBatch = (batch: Batch, guide?: ItemGuide) => ParsedBatch;

export function createBatchParser(options: BatchParserOptions): ParseBatch {
  const { separators } = options;
  const lineParser = createLineParser(options);
  const shapeOf = (separator: string | undefined) => ({ separator, recordSeparator: separators.record });
  const answers = {
    items: compileAnswer(shapeOf(separators.item)),
    lines: compileAnswer(shapeOf("\n")),
    none: compileAnswer(shapeOf(undefined)),
  };
  return (batch, guide) => {
    const { framing, content, index } = batch;
    const tally = createTally();
    const letters = createLetterBox(batch.source, options.now);
    const answer = answers[framing](content.length, (records, origin) => {
      tally.revoked(records.length, unsafeRecord.reason);
      letters.add({ ...origin, ...unsafeRecord });
    });
    const kept = createKeptRecords(options.isKept);
    const visitor = createVisitor({ lineParser, tally, letters, answer, guide, kept });
    let collisions = 0;
    if (framing === "items") collisions = visitItems(content, separators, visitor);
    else if (framing === "lines") visitLines(content, index, visitor);
    else visitWhole(content, index, visitor);
    const bytes = answer.finish(framing === "lines" && endsWithLineFeed(content) ? "\n" : "");
    const counts = tally.counts({ collisions, lettersDropped: letters.dropped() });
    return { content: bytes, counts, letters: letters.close(), kept: kept?.close() };
  };
}

const unsafeRecord = {
  reason: "separator_in_record",
  message: "a record contains a separator where it can't be escaped",
} as const;
const skipped = refuse("module_error", "a worker crashed earlier while parsing this line");

interface BatchState {
  readonly lineParser: LineParser;
  readonly tally: Tally;
  readonly letters: LetterBox;
  readonly answer: Answer;
  readonly guide: ItemGuide | undefined;
  readonly kept: KeptRecords | undefined;
}

function createVisitor({ lineParser, tally, letters, answer, guide, kept }: BatchState): LineVisitor {
  let wasTried = false;
  const mayBegin = (): boolean => guide === undefined || guide.begin(answer.count());
  const take: LineVisitor["take"] = (index, bytes, start, end) => {
    const copying = lineParser.copierFor(index, end - start);
    if (copying === undefined || !mayBegin()) return false;
    const { format, copyLine } = copying;
    wasTried = !answer.copy({ index, format, bytes, start, end }, copyLine);
    if (!wasTried) tally.parsed(format, 1);
    return !wasTried;
  };
  const visit: LineVisitor["visit"] = (index, line, unreadable) => {
    const result = mayBegin() ? lineParser.parse(index, line, unreadable, wasTried) : skipped;
    wasTried = false;
    const format = lineParser.formatName();
    if (!isFailure(result)) {
      tally.parsed(format, result.length);
      answer.add(result, { index, line, format });
      kept?.add(format, result);
      return;
    }
    const { reason, message } = result;
    tally.refused(format, reason);
    letters.add({ index, format, reason, message, line: unreadable?.bytes ?? line });
    answer.addEmpty();
  };
  // Records that are to be kept are needed as texts.
  return kept === undefined ? { take, visit } : { visit };
}
