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
  if (row === null) return false;
  const { body } = readBody(row);
  if (body !== undefined) return Buffer.compare(body, batch.body) === 0;
  // Of a damaged body the checksum is left.
  return checksum(storeBody(session, batch.body).stored) === row.body_crc;
}

interface UndigestedRow extends BodyRow {
  readonly channel: string;
  readonly claim_key: Uint8Array;
  readonly reply: Uint8Array | null;
  readonly reply_crc: number | null;
}

/** Gives claims which outlive the bodies of these batches the digests of the bodies, which are then deleted. */
export function* keepDigests({ dialect }: Session, batchSeqs: readonly number[]): Operation<void> {
  if (batchSeqs.length === 0) return;
  const columns = bodyColumns.replaceAll(/\w+/g, "o.$&");
  const rows = yield* all<UndigestedRow>(
    `SELECT c.channel, c.claim_key, c.reply, c.reply_crc, ${columns}
     FROM {batches} b JOIN {claims} c ON c.channel = b.channel AND c.claim_key = b.claim_key
       JOIN {bodies} o ON o.batch_seq = b.seq
     WHERE b.seq IN ${dialect.integersOf("$1")} AND c.batch_seq = b.seq AND LENGTH(c.sha256) = 0`,
    JSON.stringify(batchSeqs),
  );
  for (const row of rows) {
    const { body } = readBody(row);
    if (body === undefined) continue;
    const sha256 = digestOf(body);
    const isReplyIntact = row.reply !== null && isIntact(row.reply_crc, row.reply);
    yield* run(
      "UPDATE {claims} SET sha256 = $1, reply_crc = $2 WHERE channel = $3 AND claim_key = $4",
      sha256,
      isReplyIntact ? checksum(sha256, row.reply) : row.reply_crc,
      row.channel,
      row.claim_key,
    );
  }
}
