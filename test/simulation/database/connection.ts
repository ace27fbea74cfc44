import { BinarySelect } from "../../../store/sql/postgres/copy/binary-select.ts";
import type { Replica } from "../replica.ts";
import { encodeRows } from "./binary-rows.ts";
import type { Network } from "./network.ts";
import type { Outcome, Transaction } from "./transaction.ts";

/** A statement which takes longer is ended by the server. */
const statementTimeoutMs = 10_000;

const lost = (): Error => new Error("Connection terminated unexpectedly");

/** A connection of the driver, with the methods that the stores use. */
export class Connection {
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

  query(
    statement: string | Prepared | BinarySelect,
    given?: readonly unknown[],
  ): Promise<{ rows: readonly object[] }> | BinarySelect {
    if (statement instanceof BinarySelect) return this.#copy(statement);
    const [text, values] =
      typeof statement === "string" ? [statement, given ?? []] : [statement.text, statement.values];
    return this.#send(text, values);
  }

  #copy(select: BinarySelect): BinarySelect {
    const { callback } = select as unknown as DriverQuery;
    void this.#send(select.select, select.params).then(({ rows }) => {
      for (const chunk of encodeRows(rows)) select.handleCopyData({ chunk });
      callback(null);
    }, callback);
    return select;
  }

  #send(text: string, values: readonly unknown[]): Promise<{ rows: readonly object[] }> {
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

/** What the driver knows of a query. */
interface DriverQuery {
  readonly callback: (error: Error | null) => void;
}

interface Prepared {
  readonly text: string;
  readonly values: readonly unknown[];
}

function shown(values: readonly unknown[]): string {
  const texts = values.map((value) =>
    value instanceof Uint8Array ? `${value.length} bytes` : String(value),
  );
  // Identifiers of processes are random, also in a history which is run again.
  const text = texts.join(", ").replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "uuid");
  return texts.length === 0 ? "" : `[${text.slice(0, 150)}]`;
}
