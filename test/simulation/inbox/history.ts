import { defaultRetention } from "../../../store/inbox/inbox.ts";
import { PostgresInboxExecutor } from "../../../store/inbox/postgres/executor.ts";
import { SqlInbox } from "../../../store/inbox/sql/sql-inbox.ts";
import type { DatabaseServer } from "../database/server.ts";
import { InvariantError } from "../invariant-error.ts";
import type { Replica } from "../replica.ts";
import type { Scheduler } from "../scheduler.ts";
import { World } from "../world.ts";
import { type CallerPorts, deliver, type InboxReplica, sendRequest, targets } from "./caller.ts";
import { InboxInvariants } from "./invariants.ts";

/** How long things go wrong. */
const faultyMs = 12_000;

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
  readonly #world: World;
  readonly #invariants: InboxInvariants;
  readonly #ports: CallerPorts;
  readonly #replicas: InboxReplica[] = [];
  /** The requests whose senders have a reply. */
  readonly #acknowledged = new Map<string, number>();
  #waiting = 0;

  constructor(scheduler: Scheduler, server: DatabaseServer, rewrite?: (text: string) => string) {
    this.#scheduler = scheduler;
    this.#invariants = new InboxInvariants(server);
    this.#world = new World({
      scheduler,
      server,
      rewrite,
      committed: (transaction) => this.#invariants.committed(transaction),
      serve: (replica) => this.#serve(replica),
    });
    this.#ports = { world: this.#world, invariants: this.#invariants };
  }

  async run(): Promise<void> {
    const { random } = this.#scheduler;
    const count = random.int(2, 3);
    for (let at = 0; at < count; at++) this.#world.start();
    const requests = random.int(4, 14);
    for (let at = 0; at < requests; at++) this.#request(`request ${at}`);
    this.#world.disturb();
    const isEmpty = this.#world.afterCommits(() => this.#invariants.isEmpty());
    // Later calls would find nothing to do.
    const isOver = (): boolean => this.#waiting === 0 && isEmpty();
    await this.#world.until(faultyMs, isOver);
    this.#world.heal();
    await this.#world.until(faultyMs + 120_000, isOver);
    if (this.#waiting > 0) throw new InvariantError(`${this.#waiting} requests have no reply`);
    if (!this.#invariants.isEmpty()) throw new InvariantError("messages are not delivered");
    this.#invariants.checkEnd(this.#acknowledged);
  }

  async #serve(replica: Replica): Promise<void> {
    const pool = this.#world.network.createPool(replica, 4);
    const executor = new PostgresInboxExecutor(pool, { schema: "engage", maxWaiting: 1_000, maxBytes: null });
    const clockMs = await this.#world.openLeaseClock(replica, () => executor.clock());
    const inbox = new SqlInbox(executor, {
      now: replica.clock.now,
      clockMs,
      retention: () => defaultRetention,
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
}
