import type { Pool } from "pg";
import type { Listener } from "../../../store/sql/postgres/listener.ts";
import type { Random } from "../../reference/random.ts";
import type { Replica } from "../replica.ts";
import type { Scheduler } from "../scheduler.ts";
import { Connection } from "./connection.ts";
import type { DatabaseServer } from "./server.ts";
import type { Transaction } from "./transaction.ts";

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
