import type { ChannelStore } from "../../../store/channels/channels.ts";

/** Attempts that are marked in one commit. */
const maxTokens = 256;

interface Waiting extends PromiseWithResolvers<boolean> {
  readonly token: string;
}

/** Marks attempts as begun before their requests; attempts of about the same time share a commit. */
export class AttemptMarker {
  readonly #store: Pick<ChannelStore, "beginBatches">;
  readonly #waiting: Waiting[] = [];
  #isMarking = false;

  constructor(store: Pick<ChannelStore, "beginBatches">) {
    this.#store = store;
  }

  /** Returns false if the lease is lost and the batch must not be sent. @throws ChannelsUnavailableError */
  mark(token: string): Promise<boolean> {
    const waiting = { ...Promise.withResolvers<boolean>(), token };
    this.#waiting.push(waiting);
    void this.#run();
    return waiting.promise;
  }

  async #run(): Promise<void> {
    if (this.#isMarking) return;
    this.#isMarking = true;
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0, maxTokens);
      try {
        const lost = new Set(await this.#store.beginBatches(some.map(({ token }) => token)));
        for (const { token, resolve } of some) resolve(!lost.has(token));
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
    this.#isMarking = false;
  }
}
