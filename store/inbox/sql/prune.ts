import { all, first, type Operation, run, type Session } from "../../sql/query.ts";
import type { InboxRetention, PruneResult } from "../inbox.ts";
import { keepDigests } from "./rows/same-body.ts";

/** Small enough that waiting accepts are not delayed for long: 200 batches are some 5 MB. */
const maxBatches = 200;
const maxRows = 2_000;

export interface Pruned {
  readonly result: PruneResult;
  /** When the next row may be deleted, by the store's clock, unless something is changed; null: none. */
  readonly nextDueAtMs: number | null;
}

/** Deletes a bounded number of rows which the retention no longer covers. */
export function* prune(session: Session, retention: InboxRetention): Operation<Pruned> {
  return { result: yield* deleteExpired(session, retention), nextDueAtMs: yield* findNextDue(retention) };
}

function* deleteExpired(session: Session, retention: InboxRetention): Operation<PruneResult> {
  const { nowMs, dialect } = session;
  const deadLetters = yield* all<{ id: number }>(
    `DELETE FROM {dead} WHERE id IN (
       SELECT id FROM {dead} WHERE kept_from_ms < $1 ORDER BY kept_from_ms LIMIT ${maxRows}
     ) RETURNING id`,
    nowMs - retention.deadLetterMs,
  );
  const claims = yield* all<{ batch_seq: number }>(
    `DELETE FROM {claims} WHERE (channel, claim_key) IN (
       SELECT channel, claim_key FROM {claims} WHERE expires_at_ms <= $1
       ORDER BY expires_at_ms LIMIT ${maxRows}
     ) RETURNING batch_seq`,
    nowMs,
  );
  yield* run("DELETE FROM {replays} WHERE replayed_at_ms < $1", nowMs - retention.deadLetterMs);
  const finished = yield* all<{ seq: number }>(
    `SELECT seq FROM {batches} WHERE finished_at_ms < $1
       AND NOT EXISTS (SELECT 1 FROM {dead} WHERE batch_seq = seq)
     ORDER BY finished_at_ms LIMIT ${maxBatches} ${dialect.forUpdate}`,
    nowMs - retention.finishedMs,
  );
  // A begun batch without its owner waits for the sender's repetition as long as its key is kept.
  const abandoned = yield* all<{ seq: number }>(
    `SELECT seq FROM {batches} WHERE in_flight_until_ms < $1 LIMIT ${maxBatches} ${dialect.forUpdate}`,
    nowMs - retention.claimMs,
  );
  const outdated = [...finished, ...abandoned].map(({ seq }) => seq);
  const deleted = yield* keepDigests(session, outdated);
  yield* run(`DELETE FROM {bodies} WHERE batch_seq IN ${dialect.integersOf("$1")}`, JSON.stringify(deleted));
  yield* run(
    `DELETE FROM {attempts} WHERE batch_seq IN ${dialect.integersOf("$1")}`,
    JSON.stringify(deleted),
  );
  yield* run(`DELETE FROM {batches} WHERE seq IN ${dialect.integersOf("$1")}`, JSON.stringify(deleted));
  // Attempts which were added while their batch was being deleted.
  yield* run(`DELETE FROM {attempts} WHERE batch_seq < (SELECT MIN(seq) FROM {batches})`);
  const full = [
    finished.length === maxBatches,
    abandoned.length === maxBatches,
    deleted.length < outdated.length,
    claims.length === maxRows,
    deadLetters.length === maxRows,
  ];
  return {
    batches: deleted.length,
    claims: claims.length,
    deadLetters: deadLetters.length,
    more: full.includes(true),
  };
}

/** Returns when the next row expires; null if no row is stored. */
function* findNextDue({ deadLetterMs, finishedMs, claimMs }: InboxRetention): Operation<number | null> {
  const rows = yield* all<{ due: number | null }>(
    `SELECT MIN(kept_from_ms) + $1 + 1 AS due FROM {dead}
     UNION ALL SELECT MIN(replayed_at_ms) + $1 + 1 FROM {replays}
     UNION ALL SELECT MIN(expires_at_ms) FROM {claims}
     UNION ALL SELECT MIN(in_flight_until_ms) + $2 + 1 FROM {batches} WHERE in_flight_until_ms IS NOT NULL
     UNION ALL SELECT (
       SELECT finished_at_ms FROM {batches} WHERE finished_at_ms IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM {dead} WHERE batch_seq = seq)
       ORDER BY finished_at_ms LIMIT 1
     ) + $3 + 1`,
    deadLetterMs,
    claimMs,
    finishedMs,
  );
  const times = rows.flatMap(({ due }) => (due === null ? [] : [due]));
  return times.length === 0 ? null : Math.min(...times);
}

/** Returns when the oldest batch with unfinished work was accepted, by the store's clock; null when there is none. */
export function* oldestPending(_session: Session): Operation<number | null> {
  const row = yield* first<{ clock_ms: number }>(
    `SELECT clock_ms FROM {batches}
     WHERE seq = (SELECT MIN(batch_seq) FROM {work})`,
  );
  return row?.clock_ms ?? null;
}
