import type { DeadLetterBatch } from "../../../store/deadletters/deadletters.ts";
import type { IsStored } from "../config.ts";
import { type ContentWriter, compileContentWriter, type ItemOrigin } from "../output/content-writer.ts";
import { createDeadLetterBuffer, type DeadLetterBuffer } from "../output/dead-letters.ts";
import { createRecordsToStore, type RecordsToStore } from "../output/records-to-store.ts";
import { type BatchCounter, type BatchCounts, createBatchCounter } from "./counts.ts";
import { endsWithLineFeed, type Framing, visitItems, visitLines, visitWhole } from "./framing.ts";
import { isFailure, type LineFailure, refuse } from "./line.ts";
import { createLineParser, type LineParser, type LineParserOptions } from "./line-parser.ts";
import type { LinePlace, LineVisitor } from "./segment.ts";
import type { Separators } from "./separators.ts";

export interface Batch {
  readonly content: Uint8Array;
  readonly framing: Framing;
  /** INDEX of all lines where the framing has none; empty when the call has none either. */
  readonly index: string;
  /** Source of the batch in dead letters. */
  readonly source: string;
}

/** The result of a batch. Small byte arrays may be part of the pool that Node shares. */
export interface ParsedBatch {
  /** The results of all items of the batch, in its order. */
  readonly content: Uint8Array<ArrayBuffer>;
  readonly counts: BatchCounts;
  readonly deadLetters: DeadLetterBatch;
  /** The records to store as a JSON array; undefined when there are none. */
  readonly recordsToStore?: Uint8Array<ArrayBuffer> | undefined;
}

export interface BatchParserOptions extends LineParserOptions {
  readonly separators: Separators;
  readonly isStored?: IsStored | undefined;
  /** Clock in ms since 1970, for dead letters. */
  readonly now: () => number;
}

/** Decides item by item whether a batch is parsed; other items become `{}`. */
export interface ItemGate {
  begin(item: number): boolean;
}

/** Receives what a batch is made of, for explanations. Lines are then parsed as texts, which gives the same records. */
export interface BatchWitness {
  place(place: LinePlace): void;
  /** Receives a line after its place; `unreadable` lines are empty texts. */
  parsed(line: ItemOrigin, result: readonly string[] | LineFailure): void;
  /** Receives a line that was parsed, but whose records cannot be written. */
  revoked(line: ItemOrigin, failure: Omit<LineFailure, "failed">): void;
}

/**
 * Parses one content. Never throws: a line that cannot be parsed becomes the item `{}`, is counted and becomes a dead
 * letter.
 */
export type ParseBatch = (batch: Batch, gate?: ItemGate, witness?: BatchWitness) => ParsedBatch;

export function createBatchParser(options: BatchParserOptions): ParseBatch {
  const { separators } = options;
  const lineParser = createLineParser(options);
  const separatorsFor = (separator: string | undefined) => ({
    separator,
    recordSeparator: separators.record,
  });
  const writers = {
    items: compileContentWriter(separatorsFor(separators.item)),
    lines: compileContentWriter(separatorsFor("\n")),
    none: compileContentWriter(separatorsFor(undefined)),
  };
  return (batch, gate, witness) => {
    const { framing, content, index } = batch;
    const counter = createBatchCounter();
    const deadLetters = createDeadLetterBuffer(batch.source, options.now);
    const writer = writers[framing](content.length, (records, origin) => {
      counter.revoked(records.length, unsafeRecord.reason);
      witness?.revoked(origin, unsafeRecord);
      deadLetters.add({ ...origin, ...unsafeRecord });
    });
    const toStore = createRecordsToStore(options.isStored);
    const visitor = createVisitor({ lineParser, counter, deadLetters, writer, gate, toStore, witness });
    let collisions = 0;
    if (framing === "items") collisions = visitItems(content, separators, visitor);
    else if (framing === "lines") visitLines(content, index, visitor);
    else visitWhole(content, index, visitor);
    const bytes = writer.finish(framing === "lines" && endsWithLineFeed(content) ? "\n" : "");
    const counts = counter.counts({ collisions, deadLettersDropped: deadLetters.dropped() });
    return { content: bytes, counts, deadLetters: deadLetters.close(), recordsToStore: toStore?.close() };
  };
}

const unsafeRecord = {
  reason: "separator_in_record",
  message: "a record contains a separator where it can't be escaped",
} as const;
const skipped = refuse("module_error", "a worker crashed earlier while parsing this line");

interface BatchState {
  readonly lineParser: LineParser;
  readonly counter: BatchCounter;
  readonly deadLetters: DeadLetterBuffer;
  readonly writer: ContentWriter;
  readonly gate: ItemGate | undefined;
  readonly toStore: RecordsToStore | undefined;
  readonly witness: BatchWitness | undefined;
}

function createVisitor({
  lineParser,
  counter,
  deadLetters,
  writer,
  gate,
  toStore,
  witness,
}: BatchState): LineVisitor {
  let wasTried = false;
  const mayBegin = (): boolean => gate === undefined || gate.begin(writer.count());
  const take: LineVisitor["tryCopy"] = (index, bytes, start, end, isSplit) => {
    const copying = lineParser.copierFor(index, end - start);
    if (copying === undefined || !mayBegin()) return false;
    const { format, copied } = copying;
    wasTried = !writer.copy({ index, format, bytes, start, end, isSplit }, copied);
    if (!wasTried) counter.parsed(format, 1);
    return !wasTried;
  };
  const visit: LineVisitor["visit"] = (index, line, unreadable) => {
    const result = mayBegin() ? lineParser.parse(index, line, unreadable, wasTried) : skipped;
    wasTried = false;
    const format = lineParser.formatName();
    const origin = { index, line, format };
    witness?.parsed(origin, result);
    if (!isFailure(result)) {
      counter.parsed(format, result.length);
      writer.add(result, origin);
      toStore?.add(format, result);
      return;
    }
    const { reason, message } = result;
    counter.refused(format, reason);
    deadLetters.add({ index, format, reason, message, line: unreadable?.bytes ?? line });
    writer.addEmpty();
  };
  if (witness !== undefined) return { place: (place) => witness.place(place), visit };
  // Records to store are needed as texts.
  return toStore === undefined ? { tryCopy: take, visit } : { visit };
}
