import { checksum } from "../checksum.ts";
import { digestOf, encodeRoutes, type StoredBatch } from "../stored-batch.ts";

/**
 * `accept` as one statement, hence one round trip and one commit, for a batch with an unused key. When
 * another connection is claiming the key, the statement waits for its commit and then does nothing.
 */
export const quickAccept = `
  WITH claim AS (
    INSERT INTO {claims} (channel, claim_key, sha256, reply, batch_seq, accepted_at_ms,
      owned_until_ms, expires_at_ms, reply_crc)
    VALUES ($1, $2, $3, $4, nextval('{batches_seq}'), $5, $15, $6, $16)
    ON CONFLICT (channel, claim_key) DO NOTHING RETURNING batch_seq
  ), ${batchAnd("claim")}`;

/** The same for a batch without a key. */
export const quickAcceptUnclaimed = `
  WITH numbered AS (
    SELECT nextval('{batches_seq}') AS batch_seq, $2::bytea AS claim_key, $3::bytea AS sha256,
      $4::bytea AS reply, $6::bigint AS expires_at_ms, $16::bigint AS reply_crc
  ), ${batchAnd("numbered")}`;

function batchAnd(source: "claim" | "numbered"): string {
  return `routed AS (
    SELECT * FROM json_to_recordset($7::json) AS r(target text, indexes text, count integer)
  ), batch AS (
    INSERT INTO {batches} (seq, channel, request_id, claim_key, accepted_at_ms, finished_at_ms, routes, clock_ms,
      reply, auth, trace)
    SELECT batch_seq, $1, $8, $2, $5, $9::bigint, $10, $15::bigint, $4, $19::text, $20::text FROM ${source} RETURNING seq
  ), stored AS (
    INSERT INTO {bodies} (batch_seq, elements, body, elements_crc, body_crc)
    SELECT seq, $11, $12, $17::bigint, $18::bigint FROM batch
  ), waiting AS (
    INSERT INTO {work} (batch_seq, channel, target, element_indexes, element_count, attempt, due_at_ms,
      leased, lease_key, is_ordered, body_bytes)
    SELECT seq, $1, target, indexes, count, 0, $15::bigint, 0, 0, 0, $13::bigint FROM batch, routed WHERE count > 0
  ), booked AS (
    INSERT INTO {books} AS b (channel, target, shard, accepted, delivered, dead, pending)
    SELECT $1, target, $14, count, 0, 0, count FROM batch, routed WHERE count > 0
    ON CONFLICT (channel, target, shard) DO UPDATE SET
      accepted = b.accepted + excluded.accepted, pending = b.pending + excluded.pending
  ) SELECT seq FROM batch`;
}

/** Reports whether one statement suffices. A begun batch and one with an ordered route need more. */
export function isSingleStatement({ reply, routes }: StoredBatch): boolean {
  return reply !== null && !routes.some(({ ordered, count }) => ordered && count > 0);
}

export function quickParams(batch: StoredBatch, nowMs: number, shard: number): readonly unknown[] {
  const routes = batch.routes.map(({ target, ranges, count }) => ({ target, indexes: ranges, count }));
  const sha256 = batch.sha256 ?? digestOf(batch.body);
  const isFinished = routes.every(({ count }) => count === 0);
  return [
    batch.channel,
    batch.claim?.key ?? null,
    sha256,
    batch.reply,
    batch.acceptedAtMs,
    batch.claim?.expiresAtMs ?? null,
    JSON.stringify(routes),
    batch.requestId === null ? null : JSON.stringify(batch.requestId),
    isFinished ? nowMs : null,
    encodeRoutes(batch.routes),
    batch.elements,
    batch.body,
    batch.body.length,
    shard,
    nowMs,
    batch.reply === null ? null : checksum(sha256, batch.reply),
    checksum(batch.elements),
    checksum(batch.body),
    batch.auth,
    batch.trace,
  ];
}
