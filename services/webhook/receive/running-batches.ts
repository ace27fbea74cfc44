import { Refusal } from "./refusal.ts";

/** Batches that are being stored, so that a repeated call waits for the first instead of storing the batch too. */
export interface RunningBatches {
  /**
   * Runs `work` for the key, or waits for the work that runs: all calls get its outcome.
   * @throws Refusal of kind `conflict` when the work that runs is for another body, and of
   * kind `unavailable` when too many wait already
   */
  join(key: string, body: Uint8Array, work: () => Promise<Uint8Array>): Promise<Uint8Array>;
}

/** Calls that may wait for one batch; a sender repeats it a few times. */
const maxWaiting = 256;
/** Bytes of all calls that may wait; each has its body in memory. */
const maxWaitingBytes = 67_108_864;
const retryAfterMs = 5_000;

interface RunningBatch {
  readonly body: Uint8Array;
  waiting: number;
  readonly reply: Promise<Uint8Array>;
}

export function createRunningBatches(): RunningBatches {
  const running = new Map<string, RunningBatch>();
  let waitingBytes = 0;
  const run = async (key: string, body: Uint8Array, work: () => Promise<Uint8Array>): Promise<Uint8Array> => {
    const reply = work();
    running.set(key, { body, reply, waiting: 0 });
    try {
      return await reply;
    } finally {
      running.delete(key);
    }
  };
  return {
    async join(key, body, work) {
      const other = running.get(key);
      if (other === undefined) return await run(key, body, work);
      if (Buffer.compare(other.body, body) !== 0) {
        throw new Refusal("conflict", "ops_request_id is in use by a batch with another body");
      }
      if (other.waiting >= maxWaiting || waitingBytes + body.length > maxWaitingBytes) {
        throw new Refusal("unavailable", "too many calls wait for the reply to this batch", { retryAfterMs });
      }
      other.waiting++;
      waitingBytes += body.length;
      return other.reply.finally(() => {
        other.waiting--;
        waitingBytes -= body.length;
      });
    },
  };
}
