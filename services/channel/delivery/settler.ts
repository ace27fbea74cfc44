import type { Clock } from "../../../base/async/clock.ts";
import type { ChannelStore, Settlement } from "../../../store/channels/channels.ts";

export interface SettlerOptions {
  readonly store: Pick<ChannelStore, "settleBatches">;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
}

const retryMs = 1_000;
/** In one commit. */
const maxSettlements = 256;
/** Behind a commit: what is answered in it shares the next one. Nothing waits for it but what a crash would send again. */
const gatherMs = 20;

interface Waiting {
  readonly settlement: Settlement;
  readonly done: () => void;
}

/** Settles attempts, those of about the same time in one commit, and again while the store is away. */
export class Settler {
  readonly #options: SettlerOptions;
  #waiting: Waiting[] = [];
  #isSettling = false;
  #isStopped = false;

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  /** Resolves when it is settled, was nobody's to settle any more, or was given up. */
  settle(settlement: Settlement): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ settlement, done: resolve });
    void this.#run();
    return promise;
  }

  /** What the store does not take now is given up: the batches are sent again then, as after a crash. */
  stop(): void {
    this.#isStopped = true;
  }

  async #run(): Promise<void> {
    if (this.#isSettling) return;
    this.#isSettling = true;
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0, maxSettlements);
      try {
        await this.#options.store.settleBatches(some.map(({ settlement }) => settlement));
        for (const { done } of some) done();
        if (!this.#isStopped && this.#waiting.length < maxSettlements) await this.#pause(gatherMs);
      } catch (error) {
        this.#options.failed(error);
        if (this.#isStopped) for (const { done } of some) done();
        else {
          this.#waiting.unshift(...some);
          await this.#pause(retryMs);
        }
      }
    }
    this.#isSettling = false;
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => this.#options.clock.after(ms, resolve));
  }
}
