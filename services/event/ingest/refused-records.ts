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

const maxOwnDeadLetters = 100;

/** Creates the dead letters of one request. Records that share a dead letter are a JSON array in the order received. */
export function createRecordDeadLetters(): SharedDeadLetters {
  return createSharedDeadLetters({ maxOwn: maxOwnDeadLetters, join: (texts) => `[${texts.join(",")}]` });
}

/** Returns the index of dead letters of a project. */
export function indexOfProject(projectId: number | bigint): string {
  return `project ${projectId}`;
}

/** Returns the project of dead letters with an index; undefined for those of imported files. */
export function projectOfIndex(index: string | undefined): number | undefined {
  const [, projectId] = /^project (\d{1,15})$/.exec(index ?? "") ?? [];
  return projectId === undefined ? undefined : Number(projectId);
}

/** Reports whether dead letters with a reason are records that are stored, but lost a number. */
export function isStoredRecord(reason: string): boolean {
  return reason === "number_range";
}

/** Keeps refused records, so that the sender can correct them and send them again. */
export function appendRefused(
  deadLetters: Pick<DeadLetters, "append">,
  projectId: number,
  refused: readonly RefusedLine[],
  now: () => number,
): void {
  if (refused.length === 0) return;
  const time = new Date(now());
  const index = indexOfProject(projectId);
  const buffer = createRecordDeadLetters();
  const texts = refused.flatMap(({ refusal: { reason, message }, line }) =>
    buffer.add({ time, source: "event", index, format: undefined, reason, message, line }),
  );
  texts.push(...buffer.close());
  deadLetters.append({ count: texts.length, ndjson: Buffer.from(texts.join("")) });
}
