import { all, first, type Operation, run, type Session } from "../../../sql/query.ts";
import { checksum, isIntact } from "../../checksum.ts";
import { digestOf, type StoredBatch } from "../../stored-batch.ts";
import { type BodyRow, bodyColumns, readBody, storeBody } from "./stored-bodies.ts";

/** Stored in a claim instead of a digest: the body of its batch is compared itself. */
const noDigest = new Uint8Array(0);

/**
 * Returns the digest of a body that a claim is stored with. Hashing takes a twentieth of the time of a batch, so it is
 * left out where only this process reads the claim: repetitions are few, and the body is stored.
 */
export function claimDigest({ dialect }: Session, batch: StoredBatch): Uint8Array {
  return batch.sha256 ?? (dialect.storesDigests ? digestOf(batch.body) : noDigest);
}

/** Reports whether a batch has the body which a claim was made with. */
export function* isSameBody(
  session: Session,
  claim: { readonly sha256: Uint8Array; readonly batch_seq: number },
  batch: StoredBatch,
): Operation<boolean> {
  if (claim.sha256.length > 0) {
    return Buffer.compare(claim.sha256, batch.sha256 ?? digestOf(batch.body)) === 0;
  }
  const row = yield* first<BodyRow>(
    `SELECT ${bodyColumns} FROM {bodies} WHERE batch_seq = $1`,
    claim.batch_seq,
  );
  // A body that was damaged when it was deleted left no digest. Whether it differed can't be known.
  if (row === null) return true;
  const { body } = readBody(row);
  if (body !== undefined) return Buffer.compare(body, batch.body) === 0;
  // If only the checksum is damaged, the bytes are left.
  const bytes = readBody({ ...row, body_crc: null }).body;
  if (bytes !== undefined && Buffer.compare(bytes, batch.body) === 0) return true;
  // If the bytes are, the checksum is. It never matches where another version of Zstandard compresses differently.
  return checksum(storeBody(session, batch.body).stored) === row.body_crc;
}

interface UndigestedClaim {
  readonly channel: string;
  readonly claim_key: Uint8Array;
  readonly batch_seq: number;
  readonly reply: Uint8Array | null;
  readonly reply_crc: number | null;
}

/** Accepts wait while bodies are hashed: this many take some 20 ms. */
const maxHashedBytes = 16 * 1_048_576;

/**
 * Gives claims which outlive the bodies of these batches the digests of the bodies. One body is in memory at a time.
 * Returns the batches which can be deleted then: all, unless so many bytes were hashed that the others have to wait.
 */
export function* keepDigests(
  { dialect }: Session,
  batchSeqs: readonly number[],
): Operation<readonly number[]> {
  if (dialect.storesDigests || batchSeqs.length === 0) return batchSeqs;
  const claims = yield* all<UndigestedClaim>(
    `SELECT c.channel, c.claim_key, c.batch_seq, c.reply, c.reply_crc
     FROM {batches} b JOIN {claims} c ON c.channel = b.channel AND c.claim_key = b.claim_key
     WHERE b.seq IN ${dialect.integersOf("$1")} AND c.batch_seq = b.seq AND LENGTH(c.sha256) = 0`,
    JSON.stringify(batchSeqs),
  );
  let hashedBytes = 0;
  for (const [at, { channel, claim_key, batch_seq, reply, reply_crc }] of claims.entries()) {
    if (hashedBytes >= maxHashedBytes) {
      const waiting = new Set(claims.slice(at).map((claim) => claim.batch_seq));
      return batchSeqs.filter((seq) => !waiting.has(seq));
    }
    const row = yield* first<BodyRow>(`SELECT ${bodyColumns} FROM {bodies} WHERE batch_seq = $1`, batch_seq);
    const body = row === null ? undefined : readBody(row).body;
    if (body === undefined) continue;
    hashedBytes += body.length;
    const sha256 = digestOf(body);
    const isReplyIntact = reply !== null && isIntact(reply_crc, reply);
    yield* run(
      "UPDATE {claims} SET sha256 = $1, reply_crc = $2 WHERE channel = $3 AND claim_key = $4",
      sha256,
      isReplyIntact ? checksum(sha256, reply) : reply_crc,
      channel,
      claim_key,
    );
  }
  return batchSeqs;
}
