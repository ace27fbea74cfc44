import { createLeaseClock } from "../../store/sql/postgres/lease-clock.ts";
import type { Random } from "../reference/random.ts";
import { chooseFaults, Network } from "./database/network.ts";
import type { DatabaseServer } from "./database/server.ts";
import type { Transaction } from "./database/transaction.ts";
import { historyStartMs, Replica } from "./replica.ts";
import type { Scheduler } from "./scheduler.ts";

/** Most waits end at about the same times, so that operations overlap. */
const meetEveryMs = 250;

export interface WorldOptions {
  readonly scheduler: Scheduler;
  readonly server: DatabaseServer;
  /** Changes statements, as a fault of the stores would. */
  readonly rewrite?: ((text: string) => string) | undefined;
  /** What happens to a replica, each as often as it is listed. Default: each equally often. */
  readonly disturbances?: readonly Disturbance[];
  /** For how long a replica is stopped. */
  readonly stopsMs?: readonly number[];
  /** Checks the rules which a commit may break. */
  readonly committed: (transaction: Transaction) => void;
  /** Opens the stores of a replica and begins its work. */
  readonly serve: (replica: Replica) => Promise<void>;
}

type Disturbance = "kill" | "stop" | "cut";

/** Replicas which share a database, and are killed, stopped and cut off from it. */
export class World {
  readonly random: Random;
  readonly network: Network;
  readonly #options: WorldOptions;
  readonly #replicas: Replica[] = [];
  #failure: unknown;
  #isFaulty = true;
  #commits = 0;

  constructor(options: WorldOptions) {
    const { scheduler, server, rewrite } = options;
    this.#options = options;
    this.random = scheduler.random;
    this.network = new Network(scheduler, server, chooseFaults(scheduler.random), rewrite);
    server.start({
      clockMs: () => historyStartMs + scheduler.nowMs,
      soon: (call) => void scheduler.after(0, call),
      committed: (transaction) => {
        this.#commits++;
        this.network.notify(transaction);
        this.check(() => options.committed(transaction));
      },
    });
  }

  /** Whether things still go wrong. */
  get isFaulty(): boolean {
    return this.#isFaulty;
  }

  /** The replicas which are not killed. */
  get alive(): readonly Replica[] {
    return this.#replicas.filter((replica) => replica.isAlive);
  }

  /** Remembers a broken rule, which ends the history. */
  check(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#failure ??= error;
    }
  }

  /** Starts a replica with clocks of its own. */
  start(): void {
    const clock = { skewMs: this.random.int(-5_000, 5_000), rate: 1 + (this.random.next() - 0.5) / 50 };
    const replica = new Replica(`replica ${this.#replicas.length + 1}`, this.#options.scheduler, clock);
    this.#replicas.push(replica);
    void this.#options.serve(replica);
  }

  /** Opens the clock of the leases, which is that of the database. */
  async openLeaseClock({ clock }: Replica, ask: () => Promise<number>): Promise<() => number> {
    const leaseClock = createLeaseClock({ ask, monotonic: clock.monotonicMs, now: clock.now });
    for (let isOpen = false; !isOpen; ) {
      isOpen = await leaseClock.refresh().then(
        () => true,
        () => false,
      );
    }
    return () => leaseClock.now();
  }

  /** Waits, often until a time at which others act too. */
  wait(replica: Replica, ms: number): Promise<void> {
    const { scheduler } = this.#options;
    const leftMs = meetEveryMs - ((scheduler.nowMs + ms) % meetEveryMs);
    const waitMs = this.random.chance(0.3) ? ms : ms + leftMs + this.random.next() * 3;
    return new Promise((resolve) => {
      scheduler.after(waitMs, () => replica.deliver(resolve));
    });
  }

  /** Stops a replica until leases of this length have ended. */
  async pauseBeyond(leaseMs: number, replica: Replica): Promise<void> {
    replica.stop(leaseMs + this.random.int(1_000, 4_000));
    await this.wait(replica, 1);
  }

  /** Runs the history to a time, or until a condition holds. */
  async until(untilMs: number, isDone: () => boolean = () => false): Promise<void> {
    await this.#options.scheduler.run(untilMs, () => this.#failure !== undefined || isDone());
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Returns a condition on committed data, which is evaluated again only after commits. */
  afterCommits(holds: () => boolean): () => boolean {
    let commits = -1;
    let held = false;
    return () => {
      if (commits !== this.#commits) held = holds();
      commits = this.#commits;
      return held;
    };
  }

  /** Kills, stops and cuts off replicas from now on. */
  disturb(): void {
    const { random } = this;
    const {
      scheduler,
      disturbances = ["kill", "stop", "cut"],
      stopsMs = [300, 3_000, 9_000],
    } = this.#options;
    scheduler.after(random.int(200, 5_000), () => {
      if (!this.#isFaulty) return;
      const victim = random.pick(this.alive);
      const kind = random.pick(disturbances);
      if (kind === "cut") this.network.cutAll();
      if (kind === "stop") victim.stop(random.pick(stopsMs));
      if (kind === "kill") {
        victim.kill();
        this.start();
      }
      this.disturb();
    });
  }

  /** Ends all faults. */
  heal(): void {
    this.#isFaulty = false;
    Object.assign(this.network.faults, { lostRequest: 0, lostReply: 0, slow: 0 });
  }
}
