import type { Readable } from "node:stream";
import type { ClickHouseClient } from "@clickhouse/client";
import type { Trace } from "../../../base/trace/trace.ts";
import { EventsUnavailableError } from "../events.ts";
import { createConnectAgent } from "./connect-agent.ts";
import { type Settings, Shard, type ShardClients, type ShardStatement } from "./shard.ts";

export type { Settings, ShardStatement } from "./shard.ts";

export interface ConnectionOptions {
  /** The HTTP address of each shard, without credentials. Users belong to shards by their order. */
  readonly shards: readonly string[];
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** The maximum memory of one read on a shard. Default: the server's limit. */
  readonly maxMemoryBytes?: number;
  /** The maximum number of rows that one read returns from a shard. Default: no limit. */
  readonly maxResultRows?: number;
  /** The maximum number of threads of one read on a shard. Default: the server's setting. */
  readonly maxThreads?: number;
  /** The server ends a read which takes longer, even when this process is gone. Default 900. */
  readonly maxSeconds?: number;
  /** The maximum time to connect to a server. Default 10 s. */
  readonly connectMs?: number;
}

const defaultSeconds = 900;
const defaultConnectMs = 10_000;
/** Waiting for a server which does not answer ends this long after the statement should have ended. */
const graceSeconds = 10;
const idleSocketMs = 2_000;
const maxSockets = 256;

/** The server ends a read whose connection closes. */
const readOnly: Settings = { readonly: 2, cancel_http_readonly_queries_on_client_close: 1 };

/**
 * The connection to all shards: HTTP clients for each, which are loaded with the first statement.
 *
 * Statements reject with the errors of the port (`errors.ts`), which name a shard by its number and
 * host. When the signal is aborted, the connection closes, the server is asked to kill the statement,
 * and then the call rejects with the signal's reason.
 */
export class Connection implements AsyncDisposable {
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  readonly #shards: readonly Shard[];
  readonly #trace: Trace | undefined;
  #clients: Promise<readonly ShardClients[]> | undefined;

  /** @param traced a connection and the trace that reads of this view of it belong to */
  constructor(options: ConnectionOptions, traced?: { readonly of: Connection; readonly trace: Trace }) {
    this.#options = options;
    this.#trace = traced?.trace;
    if (traced !== undefined) {
      this.#shards = traced.of.#shards;
      return;
    }
    this.#shards = options.shards.map((url, shard, { length }) => {
      const { host } = new URL(url);
      return new Shard({
        server: host,
        name: length === 1 ? `the event store "${host}"` : `shard ${shard + 1} of ${length} ("${host}")`,
        clients: async () => (await this.#open())[shard]!,
        closing: this.#closing.signal,
      });
    });
  }

  /** Returns a view whose reads have spans in the trace. It is not disposed of. */
  within(trace: Trace | undefined): Connection {
    return trace?.startSpan === undefined ? this : new Connection(this.#options, { of: this, trace });
  }

  get shardCount(): number {
    return this.#shards.length;
  }

  /**
   * Runs a read; resolves when its first bytes arrive. They must be read to the end, or the iteration
   * ended, which ends the statement.
   */
  read(shard: number, statement: ShardStatement): Promise<AsyncGenerator<Buffer, void>> {
    return this.#shard(shard).read({
      ...statement,
      settings: this.#readSettings(statement),
      trace: this.#trace,
    });
  }

  /** Runs a read and returns its rows. 64-bit integers are texts. */
  async rows<R extends readonly unknown[]>(shard: number, statement: ShardStatement): Promise<R[]> {
    const sql = `${statement.sql} FORMAT JSONCompactEachRow`;
    const parts: Buffer[] = [];
    for await (const part of await this.read(shard, { ...statement, sql })) parts.push(part);
    const lines = Buffer.concat(parts).toString("utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as R);
  }

  /** Runs a statement which returns nothing and may run twice: one that is lost on its way is sent again. */
  command(shard: number, statement: ShardStatement): Promise<void> {
    return this.#shard(shard).command(statement);
  }

  /** Inserts bytes in the format that the statement names. */
  insert(shard: number, statement: ShardStatement, values: Readable): Promise<void> {
    return this.#shard(shard).command(statement, values);
  }

  /**
   * Runs work on all shards at once. When it fails on one, it is aborted on the others, and the first
   * error is thrown after all have ended: there is no result of some of the shards.
   */
  async onEach<T>(
    work: (shard: number, signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T[]> {
    const failing = new AbortController();
    const either = signal === undefined ? failing.signal : AbortSignal.any([signal, failing.signal]);
    const settled = await Promise.allSettled(
      this.#shards.map(async (_, shard) => {
        try {
          return await work(shard, either);
        } catch (error) {
          failing.abort(error);
          throw error;
        }
      }),
    );
    signal?.throwIfAborted();
    failing.signal.throwIfAborted();
    return settled.map((one) => (one as PromiseFulfilledResult<T>).value);
  }

  /** Ends running statements and closes all connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new EventsUnavailableError("the event store is closed"));
    await Promise.all(this.#shards.map((shard) => shard.ended()));
    const clients = (await this.#clients?.catch(() => undefined)) ?? [];
    await Promise.all(clients.flatMap(({ kept, single }) => [kept.close(), single.close()]));
  }

  #shard(shard: number): Shard {
    const found = this.#shards[shard];
    if (found === undefined) throw new RangeError(`there is no shard ${shard}`);
    return found;
  }

  /** A failed import is tried again. */
  async #open(): Promise<readonly ShardClients[]> {
    this.#clients ??= openClients(this.#options);
    try {
      return await this.#clients;
    } catch (error) {
      this.#clients = undefined;
      throw error;
    }
  }

  #readSettings({ settings }: ShardStatement): Settings {
    const { maxMemoryBytes, maxResultRows, maxThreads, maxSeconds = defaultSeconds } = this.#options;
    return {
      ...readOnly,
      max_execution_time: maxSeconds,
      http_send_timeout: maxSeconds,
      ...(maxMemoryBytes !== undefined && { max_memory_usage: maxMemoryBytes }),
      ...(maxResultRows !== undefined && { max_result_rows: maxResultRows }),
      ...(maxThreads !== undefined && { max_threads: maxThreads }),
      ...settings,
    };
  }
}

async function openClients({
  shards,
  database,
  user,
  password,
  maxSeconds = defaultSeconds,
  connectMs = defaultConnectMs,
}: ConnectionOptions): Promise<readonly ShardClients[]> {
  const { createClient, ClickHouseLogLevel } = await import("@clickhouse/client");
  const open = (url: string, keepAlive: boolean): ClickHouseClient =>
    createClient({
      url,
      database,
      username: user,
      password,
      application: "engage",
      http_agent: createConnectAgent(url, { keepAlive, maxSockets, connectMs }),
      request_timeout: (maxSeconds + graceSeconds) * 1_000,
      keep_alive: { enabled: keepAlive, idle_socket_ttl: idleSocketMs, eagerly_destroy_stale_sockets: true },
      // Its messages quote statements and settings.
      log: { level: ClickHouseLogLevel.OFF },
    });
  return shards.map((url) => ({ kept: open(url, true), single: open(url, false) }));
}
