import type { OneSettlement, Settled } from "../sql/settle.ts";

/** Writes settlements in one commit and returns one result for each. */
export type WriteSettlements = (settlements: readonly OneSettlement[]) => Promise<readonly Settled[]>;

/** The maximum number of concurrent writes; more would only wait for each other where the target is ordered. */
const maxRunning = 3;
const maxInGroup = 64;

interface Waiting extends PromiseWithResolvers<Settled> {
  readonly settlement: OneSettlement;
}

/**
 * Collects settlements which arrive while others are being written into the next commit. An ordered
 * target allows one transaction at a time, which one commit per settlement would make slow.
 */
export class SettleGroups {
  readonly #write: WriteSettlements;
  #waiting: Waiting[] = [];
  #running = 0;

  constructor(write: WriteSettlements) {
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

  /** Takes each item at most once: its second settlement needs the result of the first. */
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
