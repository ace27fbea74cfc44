import type { Client } from "pg";
import { type Operation, run } from "../query.ts";
import { createClient, type PostgresConnection } from "./connect.ts";

/**
 * Receives notifications of a channel on a connection of its own, which is opened by the first call of
 * `on` and again after it was lost. Notifications may be lost, so their receivers also poll.
 */
export interface Listener extends AsyncDisposable {
  /**
   * Calls a function after each notification with this text, and when the connection is open, since
   * notifications before that were missed.
   */
  on(text: string, heard: () => void): Disposable;
}

/** The time until a lost connection is opened again. */
const reopenMs = 1_000;

/** @param channel an identifier of at most 63 characters that needs no quoting */
export function createListener(connection: PostgresConnection, channel: string): Listener {
  return new PostgresListener(connection, channel);
}

/** Notifies the listeners of a channel after the commit. */
export function* notify(channel: string, text: string): Operation<void> {
  yield* run("SELECT pg_notify($1, $2)", channel, text);
}

class PostgresListener implements Listener {
  readonly #connection: PostgresConnection;
  readonly #channel: string;
  readonly #heard = new Map<string, Set<() => void>>();
  #client: Client | undefined;
  #opening: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(connection: PostgresConnection, channel: string) {
    this.#connection = connection;
    this.#channel = channel;
  }

  on(text: string, heard: () => void): Disposable {
    const all = this.#heard.get(text) ?? new Set();
    this.#heard.set(text, all.add(heard));
    if (this.#client === undefined && this.#timer === undefined) this.#open();
    return {
      [Symbol.dispose]: () => {
        all.delete(heard);
        if (all.size === 0 && this.#heard.get(text) === all) this.#heard.delete(text);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#opening;
    await this.#client?.end();
  }

  #open(): void {
    if (this.#isClosed) return;
    const client = createClient(this.#connection);
    this.#client = client;
    client.on("notification", ({ payload = "" }) => this.#call(this.#heard.get(payload)));
    client.on("end", () => this.#lost(client));
    this.#opening = this.#listen(client);
  }

  async #listen(client: Client): Promise<void> {
    try {
      await client.connect();
      await client.query(`LISTEN "${this.#channel}"`);
      for (const all of this.#heard.values()) this.#call(all);
    } catch {
      // The server is reported as unavailable by the calls that need it.
      this.#lost(client);
      await client.end().catch(() => {});
    }
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#open();
    }, reopenMs);
    this.#timer.unref();
  }

  #call(all: ReadonlySet<() => void> | undefined): void {
    for (const heard of [...(all ?? [])]) heard();
  }
}
