import type { Clock } from "../../../base/async/clock.ts";
import type { ChannelStore, Settlement } from "../../../store/channels/channels.ts";

export interface SettlerOptions {
  readonly store: Pick<ChannelStore, "settleBatches">;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
}

const retryMs = 1_000;
/** Settlements of one commit. */
const maxSettlements = 256;
/**
 * Pause after a commit, so that attempts which end meanwhile share the next one. The price of a longer pause is that
 * more attempts would be repeated after a crash.
 */
const gatherMs = 50;

interface Waiting {
  readonly settlement: Settlement;
  readonly done: () => void;
}

/**
 * Settles attempts. Attempts that end at about the same time share a commit, which is retried while the store is
 * unavailable.
 */
export class Settler {
  readonly #options: SettlerOptions;
  #waiting: Waiting[] = [];
  #isSettling = false;
  #isStopped = false;

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  /** Resolves when the attempt is settled, its lease is lost, or the settler gave up. */
  settle(settlement: Settlement): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ settlement, done: resolve });
    void this.#run();
    return promise;
  }

  /** Gives up settlements that the store does not accept now: their batches are sent again, as after a crash. */
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
