import type { LeasedBatch } from "../batches.ts";
import { decompressPayload, freePayload } from "./compress-payloads.ts";
import { encodeBatchToken, firstOf, type LeaseToken } from "./ids.ts";
import type { LeasedRow } from "./lease.ts";
import { decodeParts, dividePayload, indexesOf, isPage, type PageRow } from "./pages.ts";

/** Returns the batches of leased rows, the longest due first. @param key of the lease */
export function toLeased(rows: readonly LeasedRow[], key: number, untilMs: number): readonly LeasedBatch[] {
  const batches = rows.flatMap((row) => {
    const own = isPage(row) ? batchesOfPage(row, key, untilMs) : [batchOf(row, row, { key }, untilMs)];
    return own.map((batch) => ({ batch, row }));
  });
  batches.sort(
    (a, b) =>
      a.row.due_at_ms - b.row.due_at_ms || a.row.run_seq - b.row.run_seq || a.batch.number - b.batch.number,
  );
  return batches.map(({ batch }) => batch);
}

function batchesOfPage(row: LeasedRow & PageRow, key: number, untilMs: number): readonly LeasedBatch[] {
  const parts = decodeParts(row.parts!);
  const payloads = dividePayload(parts, row.payload);
  const page = firstOf(row.number);
  return indexesOf(row, ".").map((index) => {
    const { requestId, note } = parts[index]!;
    const part = { number: page + index, request_id: requestId, note, payload: payloads[index]! };
    return batchOf(row, part, { key, page }, untilMs);
  });
}

type OwnPart = Pick<LeasedRow, "number" | "request_id" | "note" | "payload">;

/** @param part what is the batch's own in its row */
function batchOf(
  row: LeasedRow,
  { number, request_id: requestId, note, payload }: OwnPart,
  lease: Pick<LeaseToken, "key" | "page">,
  untilMs: number,
): LeasedBatch {
  return {
    token: encodeBatchToken({ runSeq: row.run_seq, number, ...lease }),
    untilMs,
    runId: row.run_id,
    number,
    requestId,
    size: row.size,
    readPayload: () => decompressPayload(payload),
    freePayload: (read) => freePayload(payload, read),
    note,
    attempts: row.attempts + 1,
    retries: row.retries,
  };
}
