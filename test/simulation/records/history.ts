import { type Ledger, ledgerStore } from "../../../store/events/ledger/ledger.ts";
import { PostgresIntake } from "../../../store/intake/postgres/postgres.ts";
import { intakeStore } from "../../../store/intake/postgres/store.ts";
import { PostgresLeases } from "../../../store/leases/postgres/postgres-leases.ts";
import { leaseStore } from "../../../store/leases/postgres/store.ts";
import { createAppendQueue } from "../../../store/records/append-queue.ts";
import { createSpoolTables } from "../../../store/records/postgres/spool-tables.ts";
import { recordStore } from "../../../store/records/postgres/store.ts";
import { createTableReader } from "../../../store/records/postgres/table-reader.ts";
import { PostgresExecutor } from "../../../store/sql/postgres/executor.ts";
import { createLeaseClock } from "../../../store/sql/postgres/lease-clock.ts";
import { chooseFaults, Network } from "../database/network.ts";
import type { DatabaseServer } from "../database/server.ts";
import { historyStartMs, Replica } from "../replica.ts";
import type { Scheduler } from "../scheduler.ts";
import { EventTables } from "./event-tables.ts";
import { RecordInvariants } from "./invariants.ts";
import { runLoader } from "./loader.ts";

/** The stores as they are, or with a fault that a history must find. */
export interface RecordStores {
  readonly leases: typeof leaseStore;
  readonly ledger: typeof ledgerStore;
  readonly intake: typeof intakeStore;
  readonly records: typeof recordStore;
  readonly isReleasedEarly: boolean;
}

export const soundStores: RecordStores = {
  leases: leaseStore,
  ledger: ledgerStore,
  intake: intakeStore,
  records: recordStore,
  isReleasedEarly: false,
};

const project = 1;
const schema = "engage";
const pool = { schema, maxWaiting: 1_000 };
const maxTableBytes = 150;
const leaseMs = 3_000;
/** How long things go wrong. */
const faultyMs = 15_000;
const collectEveryMs = 1_500;
const dayMs = 86_400_000;

/**
 * Some replicas accept, load and query the records of one project, while they are killed, stopped and cut
 * off from the database. Then the faults end, everything is loaded, and the rows of attempts are deleted.
 * @throws InvariantError
 */
export async function runRecords(
  scheduler: Scheduler,
  server: DatabaseServer,
  stores: RecordStores = soundStores,
): Promise<void> {
  await new RecordHistory(scheduler, server, stores).run();
}

type Append = (record: Uint8Array) => Promise<void>;

class RecordHistory {
  readonly #scheduler: Scheduler;
  readonly #stores: RecordStores;
  readonly #network: Network;
  readonly #invariants: RecordInvariants;
  readonly #tables: EventTables;
  readonly #replicas: Replica[] = [];
  readonly #appends = new Map<Replica, Append>();
  #failure: unknown;
  #isFaulty = true;
  #started = 0;

  constructor(scheduler: Scheduler, server: DatabaseServer, stores: RecordStores) {
    const { random } = scheduler;
    this.#scheduler = scheduler;
    this.#stores = stores;
    this.#invariants = new RecordInvariants(server, project);
    this.#tables = new EventTables(scheduler, () => this.#check(() => this.#invariants.checkVisible()));
    this.#invariants.events = this.#tables;
    this.#network = new Network(scheduler, server, chooseFaults(random));
    server.start({
      clockMs: () => historyStartMs + scheduler.nowMs,
      soon: (call) => void scheduler.after(0, call),
      committed: (transaction) => {
        this.#network.notify(transaction);
        this.#check(() => this.#invariants.committed(transaction));
      },
    });
  }

  async run(): Promise<void> {
    const { random } = this.#scheduler;
    const count = random.int(1, 3);
    for (let at = 0; at < count; at++) this.#start();
    this.#disturb();
    await this.#until(faultyMs);
    this.#heal();
    await this.#until(faultyMs + 120_000, () => this.#invariants.isLoaded() && this.#tables.isQuiet);
    this.#invariants.checkEnd();
    for (const replica of this.#replicas) replica.kill();
    await this.#collectGarbage();
    this.#invariants.checkEnd();
    this.#invariants.checkGarbage();
  }

  async #until(untilMs: number, isDone: () => boolean = () => false): Promise<void> {
    await this.#scheduler.run(untilMs, () => this.#failure !== undefined || isDone());
    if (this.#failure !== undefined) throw this.#failure;
  }

  #check(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#failure ??= error;
    }
  }

  /** Starts a replica with clocks of its own. */
  #start(): Replica {
    const { random } = this.#scheduler;
    const clock = { skewMs: random.int(-5_000, 5_000), rate: 1 + (random.next() - 0.5) / 50 };
    const replica = new Replica(`replica ${++this.#started}`, this.#scheduler, clock);
    this.#replicas.push(replica);
    void this.#serve(replica);
    return replica;
  }

  async #serve(replica: Replica): Promise<void> {
    const { random } = this.#scheduler;
    const { leases, records } = this.#stores;
    const ledger = await this.#openLedger(replica);
    const channel = `${schema}_leases`;
    const leasePort = new PostgresLeases({
      executor: new PostgresExecutor(leases, this.#network.createPool(replica, 2), pool),
      listener: this.#network.createListener(replica, channel),
      channel,
      leaseMs,
      clock: replica.clock,
    });
    const executor = new PostgresExecutor(records, this.#network.createPool(replica, 3), pool);
    const options = { executor, project, maxTableBytes, after: undefined, channel: `${schema}_records` };
    const tables = createSpoolTables(options);
    const never = new Promise<void>(() => {});
    const reader = createTableReader({ tables, seen: () => {}, grown: () => never, checksums: false });
    void runLoader({
      replica,
      leases: leasePort,
      ledger,
      reader,
      openIntake: ({ name, token }) => {
        const own = new PostgresExecutor(this.#stores.intake, this.#network.createPool(replica, 1), pool);
        const fence = { name, token };
        return new PostgresIntake(own, { spool: project, uuidWindowMs: 2 * dayMs, maxCachedIds: 3, fence });
      },
      tables: this.#tables,
      project,
      canFail: () => this.#isFaulty,
      acts: (lease) => {
        this.#check(() => this.#invariants.checkHeld(lease));
        if (this.#isFaulty && random.chance(0.05))
          this.#scheduler.after(random.int(0, 40), () => replica.stop(4_000));
      },
      isReleasedEarly: this.#stores.isReleasedEarly,
    });
    const queue = createAppendQueue({
      write: async (pieces) => void (await tables.append(Buffer.concat(pieces))),
      waitsFor: "the database",
      admit: undefined,
    });
    this.#accept(replica, queue.append, random.int(3, 15));
    this.#appends.set(replica, queue.append);
    this.#query(replica, ledger);
    this.#collect(replica, ledger);
  }

  async #openLedger(replica: Replica): Promise<Pick<Ledger, "call">> {
    const { clock } = replica;
    const executor = new PostgresExecutor(this.#stores.ledger, this.#network.createPool(replica, 4), pool);
    const leaseClock = createLeaseClock({
      ask: () => executor.clock(),
      monotonic: clock.monotonicMs,
      now: clock.now,
    });
    for (let isOpen = false; !isOpen; ) {
      isOpen = await leaseClock.refresh().then(
        () => true,
        () => false,
      );
    }
    return { call: (name, ...args) => executor.call(name, leaseClock.now(), args, undefined) };
  }

  #accept(replica: Replica, append: Append, count: number): void {
    const { random } = this.#scheduler;
    for (let at = 0; at < count; at++) {
      const id = `${this.#started}-${replica.name.slice(8)}-${at}`;
      replica.clock.after(random.int(0, faultyMs - 2_000), () => this.#send(append, id));
    }
  }

  /** Sends a record, and some records again: the sender of a record without a reply does so at another replica. */
  #send(append: Append, id: string): void {
    const { random } = this.#scheduler;
    const again = (chance: number): void => {
      if (!random.chance(chance)) return;
      this.#scheduler.after(random.int(1, 2_000), () => {
        const alive = this.#replicas.filter((replica) => replica.isAlive && this.#appends.has(replica));
        if (alive.length > 0) this.#send(this.#appends.get(random.pick(alive))!, id);
      });
    };
    append(Buffer.from(id)).then(
      () => {
        this.#invariants.acknowledge(id);
        again(0.1);
      },
      () => again(0.7),
    );
  }

  /** Asks what can be seen, with a pause between the head and the scan. */
  #query(replica: Replica, ledger: Pick<Ledger, "call">): void {
    const { random } = this.#scheduler;
    replica.clock.after(random.int(200, 1_500), () => {
      const asking = ledger.call("readState", project).then(async (state) => {
        await replica.clock.wait(random.int(0, 300), new AbortController().signal);
        const seen = this.#tables.scan(state?.watermark ?? 0, state?.hiddenBatches ?? []);
        this.#check(() => this.#invariants.checkSeen(state?.watermark ?? 0, seen));
      });
      void asking.catch(() => {}).then(() => this.#query(replica, ledger));
    });
  }

  /** Deletes the rows of attempts, at nearly the same times as the other replicas. */
  #collect(replica: Replica, ledger: Pick<Ledger, "call">): void {
    const { nowMs, random } = this.#scheduler;
    const leftMs = collectEveryMs - (nowMs % collectEveryMs);
    this.#scheduler.after(leftMs + random.int(1, 5), () =>
      replica.deliver(() => {
        const collecting = this.#deleteGarbage(ledger).catch(() => {});
        void collecting.then(() => this.#collect(replica, ledger));
      }),
    );
  }

  async #deleteGarbage(ledger: Pick<Ledger, "call">): Promise<void> {
    for (const { number } of await ledger.call("garbageBatches", 10)) {
      this.#tables.delete(number);
      await ledger.call("garbageDeleted", number);
    }
  }

  /** Deletes what the attempts have left, at once and a day later. */
  async #collectGarbage(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      const replica = new Replica(`collector ${round}`, this.#scheduler, { skewMs: 0, rate: 1 });
      let isDone = false;
      void this.#openLedger(replica)
        .then((ledger) => this.#deleteGarbage(ledger))
        .then(() => {
          isDone = true;
        });
      await this.#until(this.#scheduler.nowMs + 60_000, () => isDone);
      replica.kill();
      await this.#until(this.#scheduler.nowMs + dayMs + 60_000);
    }
  }

  /** Kills, stops and cuts off replicas. */
  #disturb(): void {
    const { random } = this.#scheduler;
    this.#scheduler.after(random.int(200, 5_000), () => {
      if (!this.#isFaulty) return;
      this.#disturbOnce();
      this.#disturb();
    });
  }

  #disturbOnce(): void {
    const { random } = this.#scheduler;
    const victim = random.pick(this.#replicas.filter((replica) => replica.isAlive));
    const kind = random.pick(["kill", "stop", "stop", "cut"] as const);
    if (kind === "stop") victim.stop(random.pick([300, 2_900, 4_000, 9_000]));
    if (kind === "cut") this.#network.cutAll();
    if (kind !== "kill") return;
    victim.kill();
    this.#start();
  }

  #heal(): void {
    this.#isFaulty = false;
    Object.assign(this.#network.faults, { lostRequest: 0, lostReply: 0, slow: 0 });
  }
}
