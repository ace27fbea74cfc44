import { createHmac } from "node:crypto";

export const secret = "the-channel's-secret";

/** A signed body, as the platform sends it. */
export interface SignedBatch {
  readonly pushIds: readonly string[];
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export function sign(body: Uint8Array, key = secret): string {
  return createHmac("sha1", key).update(body).digest("hex");
}

export function signed(body: Buffer, pushIds: readonly string[] = []): SignedBatch {
  return {
    pushIds,
    body,
    headers: { "content-type": "application/json", "x-svc-ops-signature": sign(body) },
  };
}

export function batchOf(pushIds: readonly string[], requestId: string, params: object = {}): SignedBatch {
  const elements = pushIds.map((push_id, at) => ({
    push_id,
    params: { title: `Hello ${push_id}`, text: "Your reward waits for you in the shop.", ...params },
    custom_params: { level: String(at) },
    "#ops_receipt_properties": {
      ops_project_id: 1,
      ops_request_id: requestId,
      ops_task_id: "0101",
      ops_push_language: "en",
      ops_task_exec_detail_id: "1212",
    },
  }));
  return signed(Buffer.from(JSON.stringify(elements)), pushIds);
}

/** Returns batches of 20 to 100 messages, `messages` in all, with unique push ids. */
export function batchesOf(messages: number, random: () => number, prefix = "m"): SignedBatch[] {
  const batches: SignedBatch[] = [];
  for (let from = 0; from < messages; ) {
    const count = Math.min(messages - from, 20 + Math.floor(random() * 81));
    const pushIds = Array.from({ length: count }, (_, at) => `${prefix}${from + at}`);
    batches.push(batchOf(pushIds, `${prefix}-${batches.length}`));
    from += count;
  }
  return batches;
}

/** Numbers from 0 to below 1, the same for the same seed: mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
