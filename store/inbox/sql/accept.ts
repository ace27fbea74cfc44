import { first, insertNumbered, type Operation, run, type Session } from "../../sql/query.ts";
import type { AcceptResult } from "../batch.ts";
import { checksum, isIntact } from "../checksum.ts";
import { decodeElements } from "../element-list.ts";
import { encodeBatchId } from "../ids.ts";
import { decodeIndexes } from "../index-set.ts";
import { type EncodedRoute, encodeRoutes, type StoredBatch } from "../stored-batch.ts";
import { addCounts } from "./counts.ts";
import { enqueue } from "./order.ts";
import { claimDigest, isSameBody } from "./rows/same-body.ts";
import { storeBody } from "./rows/stored-bodies.ts";
import { addEncodedWork, fresh } from "./rows/work-rows.ts";

interface ClaimRow {
  readonly sha256: Uint8Array;
  readonly reply: Uint8Array | null;
  readonly batch_seq: number;
  readonly accepted_at_ms: number;
  readonly owned_until_ms: number;
  readonly expires_at_ms: number;
  readonly reply_crc: number | null;
}

/**
 * Stores claim, batch, reply and work. Fails with a unique violation when the claim is made elsewhere
 * at the same time: run it again.
 */
export function* accept(session: Session, batch: StoredBatch): Operation<AcceptResult> {
  const seen = yield* findClaim(batch, "");
  const known = yield* resultOf(session, seen, batch);
  if (known !== null) return known;
  // A key which can be taken over is read again under a lock.
  const claim = seen === null ? null : yield* findClaim(batch, session.dialect.forUpdate);
  const changed = yield* resultOf(session, claim, batch);
  if (changed !== null) return changed;
  if (claim !== null) yield* deleteWithoutReply(claim);
  const seq = yield* insertBatch(session, batch);
  yield* saveClaim(session, batch, seq, claim !== null);
  if (batch.reply !== null) for (const route of batch.routes) yield* addRoute(session, batch, seq, route);
  return { kind: "stored", batchId: encodeBatchId({ seq, acceptedAtMs: batch.acceptedAtMs }) };
}

function* findClaim({ channel, claim }: StoredBatch, lock: string): Operation<ClaimRow | null> {
  if (claim === null) return null;
  return yield* first<ClaimRow>(
    `SELECT sha256, reply, batch_seq, accepted_at_ms, owned_until_ms, expires_at_ms, reply_crc
     FROM {claims} WHERE channel = $1 AND claim_key = $2 ${lock}`,
    channel,
    claim.key,
  );
}

/** Returns the result when the batch's key is taken; null when it is free. */
function* resultOf(
  session: Session,
  claim: ClaimRow | null,
  batch: StoredBatch,
): Operation<AcceptResult | null> {
  const { nowMs } = session;
  if (claim === null) return null;
  const isFree = claim.expires_at_ms <= nowMs || (claim.reply === null && claim.owned_until_ms <= nowMs);
  if (isFree) return null;
  const batchId = encodeBatchId({ seq: claim.batch_seq, acceptedAtMs: claim.accepted_at_ms });
  const isSame = yield* isSameBody(session, claim, batch);
  if (claim.reply === null) return { kind: isSame ? "in_flight" : "conflict", batchId };
  if (!isIntact(claim.reply_crc, claim.sha256, claim.reply)) {
    // A damaged reply is computed again from the same body. Whether another body came first can't be known.
    return isSame && batch.reply !== null ? { kind: "duplicate", batchId, reply: batch.reply } : null;
  }
  return isSame ? { kind: "duplicate", batchId, reply: claim.reply } : { kind: "conflict", batchId };
}

/** Deletes a batch which was begun and never completed: its sender has sent it again. */
function* deleteWithoutReply({ reply, batch_seq }: ClaimRow): Operation<void> {
  if (reply !== null) return;
  yield* run("DELETE FROM {bodies} WHERE batch_seq = $1", batch_seq);
  yield* run("DELETE FROM {batches} WHERE seq = $1", batch_seq);
}

function* insertBatch(session: Session, batch: StoredBatch): Operation<number> {
  const { nowMs } = session;
  const isBegun = batch.reply === null;
  const isFinished = !isBegun && batch.routes.every(({ count }) => count === 0);
  const seq = yield* insertNumbered(
    `INSERT INTO {batches} (channel, request_id, claim_key, accepted_at_ms, in_flight_until_ms,
       finished_at_ms, routes, clock_ms, reply, auth, trace)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    "seq",
    batch.channel,
    batch.requestId === null ? null : JSON.stringify(batch.requestId),
    batch.claim?.key ?? null,
    batch.acceptedAtMs,
    isBegun ? batch.ownedUntilMs : null,
    isFinished ? nowMs : null,
    encodeRoutes(batch.routes),
    nowMs,
    batch.reply,
    batch.auth,
    batch.trace,
  );
  const { stored, isCompressed } = storeBody(session, batch.body);
  yield* run(
    `INSERT INTO {bodies} (batch_seq, elements, body, elements_crc, body_crc, body_bytes)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    seq,
    batch.elements,
    stored,
    checksum(batch.elements),
    checksum(stored),
    isCompressed ? batch.body.length : null,
  );
  return seq;
}

function* saveClaim(session: Session, batch: StoredBatch, seq: number, isKnown: boolean): Operation<void> {
  const { channel, claim, reply, ownedUntilMs, acceptedAtMs } = batch;
  if (claim === null) return;
  const sha256 = claimDigest(session, batch);
  yield* run(
    isKnown
      ? `UPDATE {claims} SET sha256 = $1, reply = $2, batch_seq = $3, accepted_at_ms = $4,
           owned_until_ms = $5, expires_at_ms = $6, reply_crc = $7 WHERE channel = $8 AND claim_key = $9`
      : `INSERT INTO {claims} (sha256, reply, batch_seq, accepted_at_ms, owned_until_ms,
           expires_at_ms, reply_crc, channel, claim_key) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    sha256,
    reply,
    seq,
    acceptedAtMs,
    ownedUntilMs,
    claim.expiresAtMs,
    reply === null ? null : checksum(sha256, reply),
    channel,
    claim.key,
  );
}

function* addRoute(
  session: Session,
  { channel, elements, body }: StoredBatch,
  seq: number,
  { target, ranges, count, ordered }: EncodedRoute,
): Operation<void> {
  if (ordered) {
    const routed = new Set(decodeIndexes(ranges));
    yield* enqueue(
      seq,
      target,
      decodeElements(elements).filter(({ index }) => routed.has(index)),
    );
  }
  yield* addEncodedWork({
    ...fresh,
    batch_seq: seq,
    channel,
    target,
    element_indexes: ranges,
    element_count: count,
    is_ordered: ordered ? 1 : 0,
    due_at_ms: session.nowMs,
    body_bytes: body.length,
  });
  yield* addCounts(session, channel, target, { accepted: count, pending: count });
}
