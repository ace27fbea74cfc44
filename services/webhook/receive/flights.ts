import { Refusal } from "./refusal.ts";

/** Calls of one process that are under way for the same batch. */
export interface Flights {
  /**
   * Runs `work` for the key, or waits for the one that runs: all get its outcome.
   * @throws Refusal of kind `conflict` when the one that runs is for another body, and of
   * kind `unavailable` when too many wait already
   */
  join(key: string, body: FlightBody, work: () => Promise<Uint8Array>): Promise<Uint8Array>;
}

export interface FlightBody {
  readonly bytes: number;
  readonly sha256: Uint8Array;
}

/** For one batch: a sender repeats it a few times. */
const maxWaiting = 256;
/** For all batches: each call that waits has its body in memory. */
const maxWaitingBytes = 67_108_864;
const retryAfterMs = 5_000;

interface Flight {
  readonly sha256: Uint8Array;
  waiting: number;
  readonly reply: Promise<Uint8Array>;
}

export function createFlights(): Flights {
  const running = new Map<string, Flight>();
  let waitingBytes = 0;
  return {
    async join(key, { bytes, sha256 }, work) {
      const other = running.get(key);
      if (other === undefined) {
        const reply = work().finally(() => running.delete(key));
        running.set(key, { sha256, reply, waiting: 0 });
        return reply;
      }
      if (Buffer.compare(other.sha256, sha256) !== 0) {
        throw new Refusal("conflict", "ops_request_id is in use by a batch with another body");
      }
      if (other.waiting >= maxWaiting || waitingBytes + bytes > maxWaitingBytes) {
        throw new Refusal("unavailable", "too many calls wait for the reply to this batch", { retryAfterMs });
      }
      other.waiting++;
      waitingBytes += bytes;
      return other.reply.finally(() => {
        other.waiting--;
        waitingBytes -= bytes;
      });
    },
  };
}
