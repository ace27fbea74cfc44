import type { ParserObserver } from "../../../services/parser/observer.ts";
import type { DeadLetters } from "../../../store/deadletters/deadletters.ts";

/** Creates an observer and dead letters that keep their input. */
export function createRecorder() {
  const counts: Record<string, number> = {};
  const letters: Record<string, unknown>[] = [];
  function add(key: string, count: number): void {
    counts[key] = (counts[key] ?? 0) + count;
  }
  const observer: ParserObserver = {
    items: (format, count) => add(`items ${format}`, count),
    records: (count) => add("records", count),
    failed: (reason, count) => add(`failed ${reason}`, count),
    collisions: (count) => add("collisions", count),
    deadLettersDropped: (count) => add("letters dropped", count),
    batch: (where) => add(where, 1),
    workerCrashed: () => add("crashes", 1),
    refused: () => add("refused", 1),
  };
  const deadLetters: DeadLetters = {
    append: ({ ndjson }) => letters.push(...parseNdjson(ndjson)),
    flush: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  return { counts, letters, observer, deadLetters };
}

export function parseNdjson(ndjson: Uint8Array): Record<string, unknown>[] {
  return Buffer.from(ndjson)
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
