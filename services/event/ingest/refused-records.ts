import {
  createSharedDeadLetters,
  type DeadLetters,
  type SharedDeadLetters,
} from "../../../store/deadletters/deadletters.ts";
import type { RefusedRecord } from "../record/record.ts";

/** A refused record and its original JSON text. */
export interface RefusedLine {
  readonly refusal: RefusedRecord;
  readonly line: string | Uint8Array;
}

const maxOwn = 100;

/** The letters of the records of one request; those that share a letter are a list, as they came. */
export function createRecordLetters(): SharedDeadLetters {
  return createSharedDeadLetters({ maxOwn, join: (texts) => `[${texts.join(",")}]` });
}

/** Keeps refused records, so that the sender can correct them and send them again. */
export function keepRefused(
  letters: Pick<DeadLetters, "append">,
  projectId: number,
  refused: readonly RefusedLine[],
  now: () => number,
): void {
  if (refused.length === 0) return;
  const time = new Date(now());
  const index = `project ${projectId}`;
  const box = createRecordLetters();
  const texts = refused.flatMap(({ refusal: { reason, message }, line }) =>
    box.add({ time, source: "event", index, format: undefined, reason, message, line }),
  );
  texts.push(...box.close());
  letters.append({ count: texts.length, ndjson: Buffer.from(texts.join("")) });
}
