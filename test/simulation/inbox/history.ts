import { defaultRetention } from "../../../store/inbox/inbox.ts";
import { PostgresInboxExecutor } from "../../../store/inbox/postgres/executor.ts";
import { SqlInbox } from "../../../store/inbox/sql/sql-inbox.ts";
import { createLeaseClock } from "../../../store/sql/postgres/lease-clock.ts";
import { chooseFaults, Network } from "../database/network.ts";
import type { DatabaseServer } from "../database/server.ts";
import { InvariantError } from "../invariant-error.ts";
import { historyStartMs, Replica } from "../replica.ts";
import type { Scheduler } from "../scheduler.ts";
import { type CallerPorts, deliver, type InboxReplica, sendRequest, targets } from "./caller.ts";
import { InboxInvariants } from "./invariants.ts";

/** How long things go wrong. */
const faultyMs = 12_000;
/** Half of all waits end at about the same times, so that operations overlap. */
const meetEveryMs = 250;

/**
 * Some replicas accept requests, which senders repeat, and deliver their messages, while they are killed,
 * stopped and cut off from the database. Then the faults end and everything is delivered.
 * @param rewrite changes statements, as a fault of the inbox would
 * @throws InvariantError
 */
export async function runInbox(
  scheduler: Scheduler,
  server: DatabaseServer,
  rewrite?: (text: string) => string,
): Promise<void> {
  await new InboxHistory(scheduler, server, rewrite).run();
}

class InboxHistory {
  readonly #scheduler: Scheduler;
  readonly #network: Network;
  readonly #invariants: InboxInvariants;
  readonly #ports: CallerPorts;
  readonly #replicas: InboxReplica[] = [];
  /** The requests whose senders have a reply. */
  readonly #acknowledged = new Map<string, number>();
  #failure: unknown;
  #isFaulty = true;
  #started = 0;
  #waiting = 0;

  constructor(scheduler: Scheduler, server: DatabaseServer, rewrite?: (text: string) => string) {
    const { random } = scheduler;
    this.#scheduler = scheduler;
    this.#network = new Network(scheduler, server, chooseFaults(random), rewrite);
    this.#invariants = new InboxInvariants(server);
    const check = (call: () => void): void => {
      try {
        call();
      } catch (error) {
        this.#failure ??= error;
      }
    };
    this.#ports = {
      random,
      invariants: this.#invariants,
      check,
      wait: (replica, ms) => this.#wait(replica, ms),
      isFaulty: () => this.#isFaulty,
    };
    server.start({
      clockMs: () => historyStartMs + scheduler.nowMs,
      soon: (call) => void scheduler.after(0, call),
      committed: (transaction) => check(() => this.#invariants.committed(transaction)),
    });
  }

  async run(): Promise<void> {
    const { random } = this.#scheduler;
    const count = random.int(2, 3);
    for (let at = 0; at < count; at++) this.#start();
    const requests = random.int(4, 14);
    for (let at = 0; at < requests; at++) this.#request(`request ${at}`);
    this.#disturb();
    await this.#until(faultyMs);
    this.#isFaulty = false;
    Object.assign(this.#network.faults, { lostRequest: 0, lostReply: 0, slow: 0 });
    await this.#until(faultyMs + 120_000, () => this.#waiting === 0 && this.#invariants.isEmpty());
    if (this.#waiting > 0) throw new InvariantError(`${this.#waiting} requests have no reply`);
    if (!this.#invariants.isEmpty()) throw new InvariantError("messages are not delivered");
    this.#invariants.checkEnd(this.#acknowledged);
  }

  #wait(replica: Replica, ms: number): Promise<void> {
    const { random, nowMs } = this.#scheduler;
    const leftMs = meetEveryMs - ((nowMs + ms) % meetEveryMs);
    const waitMs = random.chance(0.5) ? ms : ms + leftMs + random.next() * 6;
    return new Promise((resolve) => {
      this.#scheduler.after(waitMs, () => replica.deliver(resolve));
    });
  }

  async #until(untilMs: number, isDone: () => boolean = () => false): Promise<void> {
    await this.#scheduler.run(untilMs, () => this.#failure !== undefined || isDone());
    if (this.#failure !== undefined) throw this.#failure;
  }

  #start(): void {
    const { random } = this.#scheduler;
    const clock = { skewMs: random.int(-5_000, 5_000), rate: 1 + (random.next() - 0.5) / 50 };
    const replica = new Replica(`replica ${++this.#started}`, this.#scheduler, clock);
    void this.#serve(replica);
  }

  async #serve(replica: Replica): Promise<void> {
    const pool = this.#network.createPool(replica, 4);
    const executor = new PostgresInboxExecutor(pool, { schema: "engage", maxWaiting: 1_000, maxBytes: null });
    const { now, monotonicMs } = replica.clock;
    const clock = createLeaseClock({ ask: () => executor.clock(), monotonic: monotonicMs, now });
    for (let isOpen = false; !isOpen; ) {
      isOpen = await clock.refresh().then(
        () => true,
        () => false,
      );
    }
    const inbox = new SqlInbox(executor, {
      now,
      clockMs: () => clock.now(),
      retention: defaultRetention,
      maxQueuedBytes: 1_000_000,
    });
    const own = { replica, inbox };
    this.#replicas.push(own);
    for (const target of targets) void deliver(own, this.#ports, target);
  }

  /** Sends a request at some time, until there is a reply, and sometimes once more. */
  #request(id: string): void {
    const { random } = this.#scheduler;
    const pushIds = Array.from({ length: random.int(1, 3) }, () => `push ${random.int(1, 3)}`);
    const isOrdered = random.chance(0.6);
    this.#waiting++;
    let attempt = 0;
    let left = random.int(1, 2);
    const send = (): void => {
      attempt++;
      const alive = this.#replicas.filter(({ replica }) => replica.isAlive);
      if (alive.length === 0) {
        again();
        return;
      }
      let isOver = false;
      const end = (reply: string | undefined): void => {
        if (isOver) return;
        isOver = true;
        if (reply !== undefined && --left === 0) {
          this.#acknowledged.set(id, attempt);
          this.#waiting--;
        } else again();
      };
      sendRequest(random.pick(alive), this.#ports, { id, pushIds, isOrdered, attempt }).then(end, () =>
        end(undefined),
      );
      // A sender does not wait for ever.
      this.#scheduler.after(5_000, () => end(undefined));
    };
    const again = (): void => void this.#scheduler.after(random.int(50, 1_000), send);
    this.#scheduler.after(random.int(50, faultyMs - 3_000), send);
  }

  /** Kills, stops and cuts off replicas. */
  #disturb(): void {
    const { random } = this.#scheduler;
    this.#scheduler.after(random.int(200, 5_000), () => {
      if (!this.#isFaulty) return;
      const alive = this.#replicas.filter(({ replica }) => replica.isAlive);
      const kind = random.pick(["kill", "stop", "cut"] as const);
      if (kind === "cut") this.#network.cutAll();
      if (kind === "stop" && alive.length > 0)
        random.pick(alive).replica.stop(random.pick([300, 3_000, 9_000]));
      if (kind === "kill" && alive.length > 0) {
        random.pick(alive).replica.kill();
        this.#start();
      }
      this.#disturb();
    });
  }
}
