import type { Pool } from "pg";
import type { Listener } from "../../../store/sql/postgres/listener.ts";
import type { Random } from "../../reference/random.ts";
import type { Replica } from "../replica.ts";
import type { Scheduler } from "../scheduler.ts";
import type { DatabaseServer } from "./server.ts";
import type { Outcome, Transaction } from "./transaction.ts";

/** The probability of each fault for one statement. */
export interface NetworkFaults {
  /** The connection is lost before the server receives the statement. */
  lostRequest: number;
  /** The statement is run, and the connection is lost before the reply. */
  lostReply: number;
  /** A message takes up to seconds. */
  slow: number;
  /** A notification is lost. */
  lostNotification: number;
}

/** Chooses how much goes wrong in a history. */
export function chooseFaults(random: Random): NetworkFaults {
  const often = random.pick([0, 0.002, 0.01, 0.03]);
  return {
    lostRequest: random.next() * often,
    lostReply: random.next() * often,
    slow: random.next() * often,
    lostNotification: random.next() * 0.5,
  };
}

/** The connections between replicas and the model of the database. */
export class Network {
  readonly faults: NetworkFaults;
  readonly scheduler: Scheduler;
  readonly server: DatabaseServer;
  /** Changes the text of statements, as a fault of the stores would. */
  readonly rewrite: (text: string) => string;
  readonly #connections = new Set<Connection>();
  readonly #listeners = new Set<Listening>();

  constructor(
    scheduler: Scheduler,
    server: DatabaseServer,
    faults: NetworkFaults,
    rewrite: (text: string) => string = (text) => text,
  ) {
    this.rewrite = rewrite;
    this.scheduler = scheduler;
    this.server = server;
    this.faults = faults;
  }

  /** Ends all connections, as a restart of the server does. */
  cutAll(): void {
    for (const connection of [...this.#connections]) connection.cut(0);
  }

  createPool(replica: Replica, maxConnections: number): Pool {
    return new ModelPool(this, replica, maxConnections) as unknown as Pool;
  }

  connect(replica: Replica): Connection {
    const connection = new Connection(this, replica, () => this.#connections.delete(connection));
    this.#connections.add(connection);
    return connection;
  }

  createListener(replica: Replica, channel: string): Listener {
    const listeners = this.#listeners;
    return {
      on(text, heard) {
        const listening = { replica, channel, text, heard };
        listeners.add(listening);
        return { [Symbol.dispose]: () => listeners.delete(listening) };
      },
      [Symbol.asyncDispose]: async () => {},
    };
  }

  /** Delivers the notifications of a committed transaction. */
  notify({ notifications }: Transaction): void {
    for (const { channel, text } of notifications) {
      for (const one of this.#listeners) {
        if (one.channel !== channel || one.text !== text) continue;
        if (this.scheduler.random.chance(this.faults.lostNotification)) continue;
        this.scheduler.after(this.delayMs(), () => one.replica.deliver(one.heard));
      }
    }
  }

  /** Returns how long a message takes. */
  delayMs(): number {
    const { random } = this.scheduler;
    if (random.chance(this.faults.slow)) return random.int(50, 4_000);
    return 0.1 + random.next() * 2;
  }
}

interface Listening {
  readonly replica: Replica;
  readonly channel: string;
  readonly text: string;
  readonly heard: () => void;
}

/** A statement which takes longer is ended by the server. */
const statementTimeoutMs = 10_000;

const lost = (): Error => new Error("Connection terminated unexpectedly");

/** A connection of the driver, with the methods that the stores use. */
class Connection {
  readonly #network: Network;
  readonly #replica: Replica;
  readonly #closed: () => void;
  #transaction: Transaction | undefined;
  /** The transaction of the running statement. */
  #running: Transaction | undefined;
  #reject: ((error: Error) => void) | undefined;
  #isBroken = false;

  constructor(network: Network, replica: Replica, closed: () => void) {
    this.#network = network;
    this.#replica = replica;
    this.#closed = closed;
    replica.onKill(() => this.cut(this.#network.scheduler.random.chance(0.1) ? 8_000 : 2));
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  query(statement: string | Prepared, given?: readonly unknown[]): Promise<{ rows: readonly object[] }> {
    const [text, values] =
      typeof statement === "string" ? [statement, given ?? []] : [statement.text, statement.values];
    if (this.#isBroken) return Promise.reject(lost());
    const { scheduler, faults } = this.#network;
    const { promise, resolve, reject } = Promise.withResolvers<{ rows: readonly object[] }>();
    this.#reject = reject;
    const isLost = scheduler.random.chance(faults.lostRequest);
    const isReplyLost = scheduler.random.chance(faults.lostReply);
    const settle = ({ rows = [], error }: Outcome): void => {
      if (isReplyLost) this.cut(1);
      else {
        const reply = () => (error === undefined ? resolve({ rows }) : reject(error));
        scheduler.after(this.#network.delayMs(), () => this.#replica.deliver(reply));
      }
    };
    scheduler.after(this.#network.delayMs(), () => {
      if (this.#isBroken) return;
      if (isLost) this.cut(1);
      else this.#receive(text, values, settle);
    });
    return promise;
  }

  /** Ends the connection. The server notices it after a time, until which its transaction keeps its locks. */
  cut(noticedAfterMs: number): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#closed();
    const { scheduler, server } = this.#network;
    scheduler.note(() => `${this.#replica.name}: a connection is lost`);
    const end = (): void => {
      for (const one of [this.#transaction, this.#running]) if (one !== undefined) server.rollback(one);
    };
    if (noticedAfterMs === 0) end();
    else scheduler.after(noticedAfterMs, end);
    const reject = this.#reject;
    scheduler.after(this.#network.delayMs(), () => this.#replica.deliver(() => reject?.(lost())));
  }

  #receive(text: string, values: readonly unknown[], settle: (outcome: Outcome) => void): void {
    const { scheduler, server } = this.#network;
    scheduler.note(
      () => `${this.#replica.name}: ${text.replaceAll(/\s+/g, " ").slice(0, 150)} ${shown(values)}`,
    );
    const transaction = this.#transaction;
    if (text.startsWith("BEGIN")) {
      this.#transaction = server.begin();
      settle({});
    } else if (text === "COMMIT" || text === "ROLLBACK") {
      this.#transaction = undefined;
      if (transaction !== undefined) server[text === "COMMIT" ? "commit" : "rollback"](transaction);
      settle({});
    } else this.#run(transaction, text, values, settle);
  }

  #run(
    transaction: Transaction | undefined,
    text: string,
    values: readonly unknown[],
    settle: (outcome: Outcome) => void,
  ): void {
    const { scheduler, server } = this.#network;
    const running = transaction ?? server.begin();
    this.#running = running;
    let isDone = false;
    let cancel = (): void => {};
    server.run(running, this.#network.rewrite(text), values, (outcome) => {
      isDone = true;
      cancel();
      this.#running = undefined;
      if (transaction === undefined) server[outcome.error === undefined ? "commit" : "rollback"](running);
      if (outcome.error !== undefined)
        scheduler.note(() => `${this.#replica.name}: ${outcome.error!.message}`);
      settle(outcome);
    });
    if (isDone) return;
    cancel = scheduler.after(statementTimeoutMs, () => {
      if (running.isEnded) return;
      server.rollback(running);
      this.#transaction = undefined;
      settle({ error: new Error("canceling statement due to statement timeout") });
    });
  }
}

interface Prepared {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The pool of the driver: at most some connections, and a queue for them. */
class ModelPool {
  readonly #network: Network;
  readonly #replica: Replica;
  readonly #maxConnections: number;
  readonly #idle: Connection[] = [];
  readonly #queue: ((client: Connection) => void)[] = [];
  #count = 0;

  constructor(network: Network, replica: Replica, maxConnections: number) {
    this.#network = network;
    this.#replica = replica;
    this.#maxConnections = maxConnections;
  }

  get waitingCount(): number {
    return this.#queue.length;
  }

  connect(): Promise<Connection> {
    const { promise, resolve } = Promise.withResolvers<Connection>();
    this.#queue.push(resolve);
    this.#serve();
    return promise;
  }

  async end(): Promise<void> {}

  #serve(): void {
    while (this.#queue.length > 0) {
      const client = this.#take();
      if (client === undefined) return;
      this.#queue.shift()!(client);
    }
  }

  #take(): Connection | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (!idle.isBroken) return idle;
      this.#count--;
    }
    if (this.#count >= this.#maxConnections) return undefined;
    this.#count++;
    const client = this.#network.connect(this.#replica);
    return Object.assign(client, {
      release: (isBroken: boolean) => {
        if (isBroken) {
          client.cut(1);
          this.#count--;
        } else this.#idle.push(client);
        this.#serve();
      },
    });
  }
}

function shown(values: readonly unknown[]): string {
  const texts = values.map((value) =>
    value instanceof Uint8Array ? `${value.length} bytes` : String(value),
  );
  // Identifiers of processes are random, also in a history which is run again.
  const text = texts.join(", ").replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "uuid");
  return texts.length === 0 ? "" : `[${text.slice(0, 150)}]`;
}
