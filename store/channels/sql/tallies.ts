import { all, type Operation, run, type Session } from "../../sql/query.ts";
import type { RunStatistics, SegmentCounts } from "../runs.ts";
import type { BatchRow } from "./batch-rows.ts";
import { findRunRow } from "./run-rows.ts";

/** The sums kept while a run is sent: `segment_…` by A/B group and language, `failed` by reason. */
export type TallyKind =
  | "settled"
  | "sent"
  | "succeeded"
  | "failed"
  | "retried"
  | "warnings"
  | "segment_sent"
  | "segment_succeeded";

interface TallyRow {
  readonly kind: TallyKind;
  readonly reason: string;
  readonly group_id: string;
  readonly language: string;
  readonly amount: number;
}

/**
 * Collects the sums of one commit and writes them in a fixed order, which prevents deadlocks. Each sum
 * has several rows, of which a connection uses its own, so that concurrent commits seldom wait for each
 * other.
 */
export class Tallies {
  readonly #shard: number;
  readonly #amounts = new Map<string, { readonly key: readonly (string | number)[]; amount: number }>();

  constructor({ shard }: Session) {
    this.#shard = shard;
  }

  add(runSeq: number, kind: TallyKind, amount: number, reason = ""): void {
    this.#add([runSeq, this.#shard, kind, reason, "", ""], amount);
  }

  /**
   * Adds the attempts of a batch which no sum includes so far.
   * @param attempts the present number
   */
  addAttempts(
    {
      run_seq,
      size,
      settled_attempts,
      is_sent,
    }: Pick<BatchRow, "run_seq" | "size" | "settled_attempts" | "is_sent">,
    attempts: number,
  ): void {
    this.add(run_seq, "retried", Math.max(0, attempts - Math.max(1, settled_attempts)));
    if (is_sent === 0 && attempts > 0) this.add(run_seq, "sent", size);
  }

  /** @param batches the number of batches, each with these counts */
  addSegment(runSeq: number, { groupId, language, ...counts }: SegmentCounts, batches = 1): void {
    const key = (kind: TallyKind) => [runSeq, this.#shard, kind, "", groupId, language];
    this.#add(key("segment_sent"), batches * counts.sent);
    this.#add(key("segment_succeeded"), batches * counts.succeeded);
  }

  *write(): Operation<void> {
    const sorted = [...this.#amounts].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [, { key, amount }] of sorted) {
      yield* run(
        `INSERT INTO {tallies} AS t (run_seq, shard, kind, reason, group_id, language, amount)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (run_seq, shard, kind, reason, group_id, language)
         DO UPDATE SET amount = t.amount + excluded.amount`,
        ...key,
        amount,
      );
    }
  }

  #add(key: readonly (string | number)[], amount: number): void {
    if (amount === 0) return;
    const name = JSON.stringify(key);
    const known = this.#amounts.get(name);
    if (known === undefined) this.#amounts.set(name, { key, amount });
    else known.amount += amount;
  }
}

export function* statistics(_session: Session, runId: string): Operation<RunStatistics | null> {
  const row = yield* findRunRow(runId);
  if (row === null) return null;
  const rows = yield* all<TallyRow>(
    `SELECT kind, reason, group_id, language, CAST(SUM(amount) AS bigint) AS amount FROM {tallies}
     WHERE run_seq = $1 GROUP BY kind, reason, group_id, language ORDER BY reason, group_id, language`,
    row.seq,
  );
  const sum = (kind: TallyKind): number => rows.find((one) => one.kind === kind)?.amount ?? 0;
  const { planned, filtered, control, batched, batches } = row;
  return {
    planned,
    filtered,
    control,
    batched,
    batches,
    settledBatches: sum("settled"),
    sent: sum("sent"),
    succeeded: sum("succeeded"),
    failed: rows.flatMap(({ kind, reason, amount }) =>
      kind === "failed" ? [{ reason, count: amount }] : [],
    ),
    retried: sum("retried"),
    warnings: sum("warnings"),
    segments: segmentsOf(rows),
  };
}

function segmentsOf(rows: readonly TallyRow[]): readonly SegmentCounts[] {
  return rows
    .filter(({ kind }) => kind === "segment_sent")
    .map(({ group_id, language, amount }) => {
      const succeeded = rows.find(
        (one) => one.kind === "segment_succeeded" && one.group_id === group_id && one.language === language,
      );
      return { groupId: group_id, language, sent: amount, succeeded: succeeded?.amount ?? 0 };
    });
}
