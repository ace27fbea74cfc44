import type { CheckedRecord } from "../record/record.ts";
import { matches, type WatchFilter } from "./filter.ts";
import {
  headOf,
  type RecordOutcome,
  type RecordSource,
  type SeenRecord,
  type SeenRefusal,
  seeRecord,
} from "./seen-record.ts";

/** Records that watches see; plain data, so that a thread can send it. */
export interface Sample {
  /** In the order in which they were received. */
  readonly records: readonly SeenRecord[];
  /** Matching records that were left out, by project. They came after the others. */
  readonly skipped: ReadonlyMap<number, number>;
}

/** Collects what watches see of a batch of records. */
export interface Sampler {
  add(source: RecordSource, outcome: RecordOutcome): void;
  close(): Sample;
}

/** Matching records of a project in one batch; the others are counted. Writing this many takes a few milliseconds. */
export const maxSampled = 500;

/** Returns undefined without filters, so that a batch that nobody watches takes no time for it. */
export function createSampler(
  filters: readonly WatchFilter[] | undefined,
  maxRecords = maxSampled,
): Sampler | undefined {
  if (filters === undefined || filters.length === 0) return undefined;
  const byProject = Map.groupBy(filters, ({ projectId }) => projectId);
  const records: SeenRecord[] = [];
  const counts = new Map<number, number>();
  return {
    add(source, outcome) {
      const { projectId } = source;
      const watching = byProject.get(projectId);
      if (watching === undefined) return;
      const head = headOf(source);
      if (!watching.some((filter) => matches(filter, head, outcome.verdict))) return;
      const count = (counts.get(projectId) ?? 0) + 1;
      counts.set(projectId, count);
      if (count <= maxRecords) records.push(seeRecord(source, head, outcome));
    },
    close() {
      const skipped = [...counts].filter(([, count]) => count > maxRecords);
      return { records, skipped: new Map(skipped.map(([id, count]) => [id, count - maxRecords])) };
    },
  };
}

/** The id that a record shares with a stored one. */
export type RepeatedId = "#uuid" | "#first_check_id";

/** Describes the verdict of the rules, or a repeated record. */
export function outcomeOf(checked: CheckedRecord | RepeatedId): RecordOutcome {
  if (typeof checked === "string") return { verdict: "repeated", repeatedId: checked };
  if (checked.kind === "refused") return refusedAs(checked);
  const { dropped } = checked;
  return { verdict: dropped.length === 0 ? "accepted" : "dropped", dropped };
}

export function refusedAs({ reason, field, message }: SeenRefusal): RecordOutcome {
  return { verdict: "refused", refused: { reason, field, message } };
}
