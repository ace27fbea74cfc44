import { type Ledger, ledgerStore } from "../../../store/events/ledger/ledger.ts";
import { PostgresIntake } from "../../../store/intake/postgres/postgres.ts";
import type { Fence } from "../../../store/intake/postgres/rewind.ts";
import { intakeStore } from "../../../store/intake/postgres/store.ts";
import { PostgresLeases } from "../../../store/leases/postgres/postgres-leases.ts";
import { leaseStore } from "../../../store/leases/postgres/store.ts";
import { createAppendQueue } from "../../../store/records/append-queue.ts";
import { createSpoolTables } from "../../../store/records/postgres/spool-tables.ts";
import { recordStore } from "../../../store/records/postgres/store.ts";
import { createTableReader } from "../../../store/records/postgres/table-reader.ts";
import { PostgresExecutor } from "../../../store/sql/postgres/executor.ts";
import type { DatabaseServer } from "../database/server.ts";
import { Replica } from "../replica.ts";
import type { Scheduler } from "../scheduler.ts";
import { World } from "../world.ts";
import { EventTables } from "./event-tables.ts";
import { RecordInvariants } from "./invariants.ts";
import { runLoader } from "./loader.ts";
import { loseUsers } from "./lost-users.ts";

/** The stores as they are, or with a fault that a history must find. */
export interface RecordStores {
  readonly leases: typeof leaseStore;
  readonly ledger: typeof ledgerStore;
  readonly intake: typeof intakeStore;
  readonly records: typeof recordStore;
  readonly isReleasedEarly: boolean;
  readonly isAcknowledgedEarly: boolean;
}

export const soundStores: RecordStores = {
  leases: leaseStore,
  ledger: ledgerStore,
  intake: intakeStore,
  records: recordStore,
  isReleasedEarly: false,
  isAcknowledgedEarly: false,
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
 * off from the database, and the event tables may lose what they know of users. Then the faults end,
 * everything is loaded, and the rows of attempts are deleted.
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
  readonly #world: World;
  readonly #invariants: RecordInvariants;
  readonly #tables: EventTables;
  readonly #appends = new Map<Replica, Append>();

  constructor(scheduler: Scheduler, server: DatabaseServer, stores: RecordStores) {
    this.#scheduler = scheduler;
    this.#stores = stores;
    this.#world = new World({
      scheduler,
      server,
      disturbances: ["kill", "stop", "stop", "cut"],
      stopsMs: [300, 2_900, 4_000, 9_000],
      committed: (transaction) => this.#invariants.committed(transaction),
      serve: (replica) => this.#serve(replica),
    });
    this.#tables = new EventTables(scheduler, () => this.#world.check(() => this.#invariants.checkVisible()));
    this.#invariants = new RecordInvariants(server, project, this.#tables);
  }

  async run(): Promise<void> {
    const { random } = this.#scheduler;
    const count = random.int(1, 3);
    for (let at = 0; at < count; at++) this.#world.start();
    if (random.chance(0.3)) this.#scheduler.after(random.int(3_000, faultyMs - 1_000), () => this.#lose());
    this.#world.disturb();
    await this.#world.until(faultyMs);
    this.#world.heal();
    const isLoaded = this.#world.afterCommits(() => this.#invariants.isLoaded());
    await this.#world.until(faultyMs + 120_000, () => this.#tables.isQuiet && isLoaded());
    this.#invariants.checkEnd();
    for (const replica of this.#world.alive) replica.kill();
    await this.#collectGarbage();
    this.#invariants.checkEnd();
    this.#invariants.checkGarbage();
  }

  async #serve(replica: Replica): Promise<void> {
    const { random } = this.#scheduler;
    const { network } = this.#world;
    const { leases, records } = this.#stores;
    const ledger = await this.#openLedger(replica);
    const channel = `${schema}_leases`;
    const leasePort = new PostgresLeases({
      executor: new PostgresExecutor(leases, network.createPool(replica, 2), pool),
      listener: network.createListener(replica, channel),
      channel,
      leaseMs,
      clock: replica.clock,
    });
    const executor = new PostgresExecutor(records, network.createPool(replica, 3), pool);
    const options = { executor, project, maxTableBytes, after: undefined, channel: `${schema}_records` };
    const tables = createSpoolTables(options);
    const never = new Promise<void>(() => {});
    const reader = createTableReader({
      tables,
      seen: () => {},
      grown: () => never,
      isWriting: () => false,
      checksums: false,
    });
    void runLoader({
      replica,
      leases: leasePort,
      ledger,
      reader,
      openIntake: ({ name, token }) => this.#openIntake(replica, { name, token }),
      tables: this.#tables,
      project,
      canFail: () => this.#world.isFaulty,
      acts: (lease) => {
        this.#world.check(() => this.#invariants.checkHeld(lease));
        if (this.#world.isFaulty && random.chance(0.05))
          this.#scheduler.after(random.int(0, 40), () => replica.stop(4_000));
      },
      isReleasedEarly: this.#stores.isReleasedEarly,
    });
    const queue = createAppendQueue({
      write: async (lines) => {
        const stored = tables.append(lines);
        if (this.#stores.isAcknowledgedEarly) stored.catch(() => {});
        else await stored;
        return new ArrayBuffer(0);
      },
      checksums: false,
      waitsFor: "the database",
      admit: undefined,
    });
    this.#accept(replica, queue.append, random.int(3, 15));
    this.#appends.set(replica, queue.append);
    this.#query(replica, ledger);
    this.#collect(replica, ledger);
  }

  #openIntake(replica: Replica, fence: Fence | undefined): PostgresIntake {
    const own = new PostgresExecutor(this.#stores.intake, this.#world.network.createPool(replica, 1), pool);
    const { random } = this.#scheduler;
    // Some intakes remember all, so that they ask the database about nothing.
    const limits = { maxUuids: random.pick([4, 1_000]), maxCachedIds: random.pick([3, 1_000]) };
    return new PostgresIntake(own, { spool: project, uuidWindowMs: 2 * dayMs, ...limits, fence });
  }

  async #openLedger(replica: Replica): Promise<Pick<Ledger, "call">> {
    const own = this.#world.network.createPool(replica, 4);
    const executor = new PostgresExecutor(this.#stores.ledger, own, pool);
    const leaseNow = await this.#world.openLeaseClock(replica, () => executor.clock());
    return { call: (name, ...args) => executor.call(name, leaseNow(), args, undefined) };
  }

  /** Lets the event tables lose what they know of users, and an operator tell the intake. */
  #lose(): void {
    const operator = new Replica("operator", this.#scheduler, { skewMs: 0, rate: 1 });
    const intake = this.#openIntake(operator, undefined);
    void loseUsers({ intake, operator, tables: this.#tables, invariants: this.#invariants });
  }

  #accept(replica: Replica, append: Append, count: number): void {
    const { random } = this.#scheduler;
    for (let at = 0; at < count; at++) {
      const id = `${replica.name.slice(8)}-${at}`;
      replica.clock.after(random.int(0, faultyMs - 2_000), () => this.#send(append, id));
    }
  }

  /** Sends a record, and some records again: the sender of a record without a reply does so at another replica. */
  #send(append: Append, id: string): void {
    const { random } = this.#scheduler;
    const again = (chance: number): void => {
      if (!random.chance(chance)) return;
      this.#scheduler.after(random.int(1, 2_000), () => {
        const alive = this.#world.alive.filter((replica) => this.#appends.has(replica));
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
        this.#world.check(() => this.#invariants.checkSeen(state?.watermark ?? 0, seen));
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
      await this.#world.until(this.#scheduler.nowMs + 60_000, () => isDone);
      replica.kill();
      await this.#world.until(this.#scheduler.nowMs + dayMs + 60_000);
    }
  }
}
