import { Refusal } from "./refusal.ts";

/** Calls of one process that are under way for the same batch. */
export interface Flights {
  /**
   * Runs `work` for the key, or waits for the one that runs: all get its outcome.
   * @throws Refusal of kind `conflict` when the one that runs is for another body
   */
  join(key: string, bodySha256: Uint8Array, work: () => Promise<Uint8Array>): Promise<Uint8Array>;
}

interface Flight {
  readonly bodySha256: Uint8Array;
  readonly reply: Promise<Uint8Array>;
}

export function createFlights(): Flights {
  const running = new Map<string, Flight>();
  return {
    async join(key, bodySha256, work) {
      const other = running.get(key);
      if (other !== undefined) {
        if (Buffer.compare(other.bodySha256, bodySha256) === 0) return other.reply;
        throw new Refusal("conflict", "ops_request_id is in use by a batch with another body");
      }
      const reply = work().finally(() => running.delete(key));
      running.set(key, { bodySha256, reply });
      return reply;
    },
  };
}
