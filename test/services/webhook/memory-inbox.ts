import type { ReceiveInbox } from "../../../services/webhook/receive/store-batch.ts";
import type { Completion, NewBatch } from "../../../store/inbox/inbox.ts";

interface Entry {
  readonly batchId: string;
  readonly batch: NewBatch;
  reply: Uint8Array | null;
  waiting: ((reply: Uint8Array | null) => void)[];
}

/** An inbox of one process without a disk, as the accept path sees it. Neither leases nor waits end by time. */
export interface MemoryInbox extends ReceiveInbox {
  readonly stored: readonly NewBatch[];
  readonly completions: ReadonlyMap<string, Completion>;
  readonly released: readonly string[];
  /** Calls of `accept`. */
  readonly accepts: number;
  /** From now on `accept` rejects with this. */
  failWith(error: Error | undefined): void;
}

export function createMemoryInbox(): MemoryInbox {
  const byKey = new Map<string, Entry>();
  const byId = new Map<string, Entry>();
  const stored: NewBatch[] = [];
  const completions = new Map<string, Completion>();
  const released: string[] = [];
  let failure: Error | undefined;
  let accepts = 0;

  function end(entry: Entry, reply: Uint8Array | null): void {
    entry.reply = reply;
    for (const wake of entry.waiting.splice(0)) wake(reply);
  }
  return {
    stored,
    completions,
    released,
    get accepts() {
      return accepts;
    },
    failWith(error) {
      failure = error;
    },
    async accept(batch) {
      accepts++;
      if (failure !== undefined) throw failure;
      const key = `${batch.channel}\n${batch.requestId}`;
      const first = batch.requestId === null ? undefined : byKey.get(key);
      if (first !== undefined) {
        const { batchId, reply } = first;
        if (Buffer.compare(first.batch.body, batch.body) !== 0) return { kind: "conflict", batchId };
        return reply === null ? { kind: "in_flight", batchId } : { kind: "duplicate", batchId, reply };
      }
      const entry: Entry = { batchId: `b${stored.length + 1}`, batch, reply: batch.reply, waiting: [] };
      stored.push(batch);
      byId.set(entry.batchId, entry);
      if (batch.requestId !== null) byKey.set(key, entry);
      return { kind: "stored", batchId: entry.batchId };
    },
    async awaitReply(batchId, _waitMs, { signal } = {}) {
      signal?.throwIfAborted();
      const entry = byId.get(batchId);
      if (entry === undefined || entry.reply !== null) return entry?.reply ?? null;
      return await new Promise((resolve, reject) => {
        entry.waiting.push(resolve);
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    },
    async complete(batchId, completion) {
      const entry = byId.get(batchId);
      if (entry?.reply !== null) return { kind: "stale" };
      completions.set(batchId, completion);
      end(entry, completion.reply);
      return { kind: "finished" };
    },
    async release(batchId) {
      const entry = byId.get(batchId);
      if (entry?.reply !== null) return { kind: "stale" };
      byId.delete(batchId);
      released.push(batchId);
      byKey.delete(`${entry.batch.channel}\n${entry.batch.requestId}`);
      end(entry, null);
      return { kind: "finished" };
    },
  };
}
