import type { LetterBatch } from "../../store/deadletters/deadletters.ts";
import type { Framing } from "./config.ts";
import { endsWithLineFeed, visitItems, visitLines, visitWhole } from "./framing.ts";
import { compileJoin, EMPTY_ITEM, type JoinRecords } from "./guard.ts";
import { createLetterBox, type LetterBox } from "./letters.ts";
import { isFailure, type LineFailure, refuse } from "./line.ts";
import { createLineParser, type LineParser, type LineParserOptions } from "./line-parser.ts";
import { createOutput, type Output } from "./output.ts";
import type { Separators } from "./separators.ts";
import { type BatchCounts, createTally, type Tally } from "./tally.ts";
import type { VisitLine } from "./window.ts";

export interface Batch {
  readonly content: Uint8Array;
  readonly framing: Framing;
  /** INDEX of all lines where the framing carries none; empty when the call names none either. */
  readonly index: string;
  /** Named in dead letters. */
  readonly source: string;
}

/** The answer has as many items as the batch, in its order; both byte arrays own their memory. */
export interface ParsedBatch {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly counts: BatchCounts;
  readonly letters: LetterBatch;
}

export interface BatchParserOptions extends LineParserOptions {
  readonly separators: Separators;
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
  const joins: Record<Framing, JoinRecords> = {
    items: compileJoin(separators.item, separators.record),
    lines: compileJoin("\n", separators.record),
    none: compileJoin(undefined, separators.record),
  };
  return (batch, guide) => {
    const { framing, content, index } = batch;
    const output = createOutput(framing === "lines" ? "\n" : separators.item, content.length);
    const tally = createTally();
    const letters = createLetterBox(batch.source, options.now);
    const visit = createVisit({ lineParser, join: joins[framing], tally, letters, output, guide });
    let collisions = 0;
    if (framing === "items") collisions = visitItems(content, separators, visit);
    else if (framing === "lines") visitLines(content, index, visit);
    else visitWhole(content, index, visit);
    if (framing === "lines" && endsWithLineFeed(content)) output.add("");
    const counts = tally.counts({ collisions, lettersDropped: letters.dropped() });
    return { content: output.finish(), counts, letters: letters.close() };
  };
}

const unsafeRecord = refuse("separator_in_record", "a record contains a separator where it can't be escaped");
const skipped = refuse("module_error", "parsing this line ended a worker before");

interface BatchState {
  readonly lineParser: LineParser;
  readonly join: JoinRecords;
  readonly tally: Tally;
  readonly letters: LetterBox;
  readonly output: Output;
  readonly guide: ItemGuide | undefined;
}

function createVisit({ lineParser, join, tally, letters, output, guide }: BatchState): VisitLine {
  function refused(failure: LineFailure, index: string | undefined, line: string | Uint8Array): void {
    const { reason, message } = failure;
    const format = lineParser.formatName();
    tally.refused(format, reason);
    letters.add({ index, format, reason, message, line });
    output.add(EMPTY_ITEM);
  }
  return (index, line, unreadable) => {
    const isSkipped = guide !== undefined && !guide.begin(output.count());
    const result = isSkipped ? skipped : lineParser.parse(index, line, unreadable);
    if (isFailure(result)) return refused(result, index, unreadable?.bytes ?? line);
    const item = join(result);
    if (item === undefined) return refused(unsafeRecord, index, line);
    tally.parsed(lineParser.formatName(), result.length);
    output.add(item);
  };
}
