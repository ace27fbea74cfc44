import type { ChannelStore } from "../../../store/channels/channels.ts";

/** Attempts that are marked in one commit. */
const maxTokens = 256;

interface Waiting extends PromiseWithResolvers<ReadonlySet<string>> {
  readonly tokens: readonly string[];
}

/** Marks attempts as begun before their requests; those that are given at about the same time share a commit. */
export class AttemptMarker {
  readonly #store: Pick<ChannelStore, "beginBatches">;
  #waiting: Waiting[] = [];
  #isMarking = false;

  constructor(store: Pick<ChannelStore, "beginBatches">) {
    this.#store = store;
  }

  /**
   * Returns the tokens whose lease is lost: their batches must not be sent.
   * @throws ChannelsUnavailableError
   */
  mark(tokens: readonly string[]): Promise<ReadonlySet<string>> {
    const waiting = { ...Promise.withResolvers<ReadonlySet<string>>(), tokens };
    this.#waiting.push(waiting);
    void this.#run();
    return waiting.promise;
  }

  async #run(): Promise<void> {
    if (this.#isMarking) return;
    this.#isMarking = true;
    while (this.#waiting.length > 0) {
      const some = this.#take();
      try {
        const lost = new Set(await this.#store.beginBatches(some.flatMap(({ tokens }) => tokens)));
        for (const { resolve } of some) resolve(lost);
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
    this.#isMarking = false;
  }

  /** Takes the first attempts that wait, as many as one commit marks. */
  #take(): readonly Waiting[] {
    let count = 0;
    const over = this.#waiting.findIndex(({ tokens }, i) => {
      count += tokens.length;
      return i > 0 && count > maxTokens;
    });
    return this.#waiting.splice(0, over === -1 ? this.#waiting.length : over);
  }
}
