import type { StoredDeadLetter } from "../../store/deadletters/deadletters.ts";
import { createSharedDeadLetters, type DeadLetters } from "../../store/deadletters/deadletters.ts";
import type { IsStored } from "./config.ts";
import { createBatchCounter, reportCounts } from "./line/counts.ts";
import { isFailure, type LineFailure } from "./line/line.ts";
import { createLineParser, type LineParserOptions } from "./line/line-parser.ts";
import type { ParserObserver } from "./observer.ts";
import { createRecordsToStore } from "./output/records-to-store.ts";
import { type StoreRecords, storeRecords } from "./parser.ts";

export interface LineReplayOptions extends LineParserOptions {
  readonly observer: ParserObserver;
  readonly store: StoreRecords;
  readonly isStored: IsStored | undefined;
  /** Gets the refused ones of several lines. */
  readonly deadLetters: Pick<DeadLetters, "append">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type RefusedLine = Pick<LineFailure, "reason" | "message"> & {
  readonly line: string;
  readonly format: string | undefined;
};

type Replayed = Pick<StoredDeadLetter, "index" | "line" | "lines">;

/**
 * Returns a function that parses the lines of a dead letter again and stores their records. It resolves to
 * the reason when all are refused again, and to undefined otherwise.
 */
export function createLineReplay(
  options: LineReplayOptions,
): (letter: Replayed) => Promise<string | undefined> {
  return async ({ index, line, lines }) => {
    if (typeof line !== "string") return "the line is not UTF-8";
    const texts = lines === 1 ? [line] : line.split("\n");
    const counter = createBatchCounter();
    const lineParser = createLineParser(options);
    const toStore = createRecordsToStore(options.isStored);
    const refused: RefusedLine[] = [];
    for (const text of texts) {
      const result = lineParser.parse(index ?? "", text, undefined, false);
      const format = lineParser.formatName();
      if (isFailure(result)) {
        counter.refused(format, result.reason);
        refused.push({ line: text, format, reason: result.reason, message: result.message });
      } else {
        counter.parsed(format, result.length);
        toStore?.add(format, result);
      }
    }
    reportCounts(counter.counts({ collisions: 0, deadLettersDropped: 0 }), options.observer);
    if (refused.length === texts.length) return refused[0]?.message ?? "it has no lines";
    const records = toStore?.close();
    if (records === undefined) return "records of its format are not stored, see parser.store.formats";
    await storeRecords(options.store, records);
    keepRefused(options, index, refused);
    return undefined;
  };
}

function keepRefused(
  { deadLetters, now }: Pick<LineReplayOptions, "deadLetters" | "now">,
  index: string | undefined,
  refused: readonly RefusedLine[],
): void {
  if (refused.length === 0) return;
  const time = new Date(now());
  const shared = createSharedDeadLetters({ maxOwn: 1, join: (texts) => texts.join("\n") });
  const texts = refused.flatMap((one) => shared.add({ time, source: "replay", index, ...one }));
  texts.push(...shared.close());
  deadLetters.append({ count: texts.length, ndjson: Buffer.from(texts.join("")) });
}
