import type { OneSettlement, Settled } from "../sql/settle.ts";

/** Writes settlements in one commit, one result for each. */
export type SettleTogether = (settlements: readonly OneSettlement[]) => Promise<readonly Settled[]>;

/** More would only wait for each other where the target is ordered. */
const maxRunning = 3;
const maxInGroup = 64;

interface Waiting extends PromiseWithResolvers<Settled> {
  readonly settlement: OneSettlement;
}

/**
 * Settlements that come while others are being written share the next commit. Of an
 * ordered target one transaction runs at a time, which a commit for each would make slow.
 */
export class SettleGroups {
  readonly #write: SettleTogether;
  #waiting: Waiting[] = [];
  #running = 0;

  constructor(write: SettleTogether) {
    this.#write = write;
  }

  settle(settlement: OneSettlement): Promise<Settled> {
    const waiting = { ...Promise.withResolvers<Settled>(), settlement };
    this.#waiting.push(waiting);
    this.#start();
    return waiting.promise;
  }

  #start(): void {
    if (this.#running >= maxRunning || this.#waiting.length === 0) return;
    this.#running++;
    void this.#run(this.#take()).finally(() => {
      this.#running--;
      this.#start();
    });
  }

  /** No item twice: its second settlement needs to see what the first has left. */
  #take(): readonly Waiting[] {
    const ids = new Set<number>();
    const group: Waiting[] = [];
    const rest: Waiting[] = [];
    for (const one of this.#waiting) {
      const { workId } = one.settlement.key;
      const isIn = group.length < maxInGroup && !ids.has(workId);
      ids.add(workId);
      (isIn ? group : rest).push(one);
    }
    this.#waiting = rest;
    return group;
  }

  async #run(group: readonly Waiting[]): Promise<void> {
    try {
      const settled = await this.#write(group.map(({ settlement }) => settlement));
      for (const [at, { resolve }] of group.entries()) resolve(settled[at]!);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
