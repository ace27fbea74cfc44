import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import type { ClickHouseClient } from "@clickhouse/client";
import { startStatementSpan } from "../../../base/trace/statement-span.ts";
import { failureOf, type Span, type Trace } from "../../../base/trace/trace.ts";
import { isLostOnKept } from "./connect-agent.ts";
import { exceptionIn, storeError } from "./errors.ts";

export type Settings = Readonly<Record<string, string | number>>;

/** One statement for one shard. */
export interface ShardStatement {
  readonly sql: string;
  /** The values of placeholders such as `{p1:String}`, by name. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly settings?: Settings;
  readonly signal?: AbortSignal;
  /** Statements of one session share temporary tables, and run one at a time. */
  readonly session?: string;
  /** Has a span for the statement. */
  readonly trace?: Trace | undefined;
}

/**
 * The clients of one server. It may close a kept connection while a request is on its way, which is lost then. So
 * `kept` sends what may be sent again, and `single`, which opens a connection for each request, sends the rest.
 */
export interface ShardClients {
  readonly kept: ClickHouseClient;
  readonly single: ClickHouseClient;
}

export interface ShardOptions {
  /** What messages call the shard. */
  readonly name: string;
  /** Host and port. */
  readonly server: string;
  readonly clients: () => Promise<ShardClients>;
  /** Ends all statements, with its reason. */
  readonly closing: AbortSignal;
}

/**
 * Settings of all statements. SQL means what the compiler of plans expects (nulls of outer joins and of
 * casts, columns before aliases, exact numbers), limits of its size are those of the compiler, and
 * inserts have no queue in the server's memory.
 */
const commonSettings: Settings = {
  async_insert: 0,
  cast_keep_nullable: 1,
  enable_materialized_cte: 1,
  join_use_nulls: 1,
  max_ast_depth: 100_000,
  max_ast_elements: 10_000_000,
  max_expanded_ast_elements: 10_000_000,
  max_parser_depth: 100_000,
  max_query_size: 64 * 1_048_576,
  precise_float_parsing: 1,
  prefer_column_name_to_alias: 1,
  // Wrong rows in 26.7.2.
  query_plan_top_k_through_join: 0,
  session_timezone: "UTC",
  skip_unavailable_shards: 0,
  use_query_cache: 0,
  output_format_json_quote_64bit_integers: 1,
};

/** A killed statement ends within this time, or its server does not answer any more. */
const killMs = 10_000;
/** An error in the middle of a result is in its last bytes. */
const tailBytes = 16_384;

/** One server and the statements which run on it. */
export class Shard {
  readonly #options: ShardOptions;
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: ShardOptions) {
    this.#options = options;
  }

  async read(statement: ShardStatement): Promise<AsyncGenerator<Buffer, void>> {
    const run = this.#run(statement);
    return run.bytes(await run.start());
  }

  async command(statement: ShardStatement, values?: Readable): Promise<void> {
    const run = this.#run(statement);
    for await (const _ of run.bytes(await run.start(values)));
  }

  /** Resolves when no statement runs. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  #run(statement: ShardStatement): Run {
    const run = new Run(this.#options, statement);
    this.#running.add(run.ended);
    run.ended.then(() => this.#running.delete(run.ended));
    return run;
  }
}

/** The last bytes of a result. */
class Tail {
  #parts: Buffer[] = [];
  #bytes = 0;

  /** Keeps the part, which nobody changes, and drops those which are not needed any more. */
  add(part: Buffer): void {
    this.#parts.push(part);
    this.#bytes += part.length;
    while (this.#bytes - this.#parts[0]!.length >= tailBytes) this.#bytes -= this.#parts.shift()!.length;
  }

  text(): string {
    return Buffer.concat(this.#parts).subarray(-tailBytes).toString("utf8");
  }
}

/** One execution of a statement. */
class Run {
  readonly #shard: ShardOptions;
  readonly #statement: ShardStatement;
  /** The id of the statement. If it is sent again, its id begins so, since the first may run. */
  readonly #id = `engage-${randomUUID()}`;
  readonly #stop = new AbortController();
  readonly #end = Promise.withResolvers<void>();
  #killed: Promise<void> | undefined;
  #stream: Readable | undefined;
  #span: Span | undefined;

  constructor(shard: ShardOptions, statement: ShardStatement) {
    this.#shard = shard;
    this.#statement = statement;
  }

  /** Resolves when the statement has ended, however it did. */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  /** Sends the statement; resolves when the first bytes of its result arrive. */
  async start(values?: Readable): Promise<Readable> {
    const { sql, trace } = this.#statement;
    const { server } = this.#shard;
    this.#span = startStatementSpan(trace, { system: "clickhouse", sql, server, queryId: this.#id });
    try {
      for (const signal of this.#signals()) {
        signal.throwIfAborted();
        signal.addEventListener("abort", this.#cancel);
      }
      this.#stream = await this.#send(values);
      return this.#stream;
    } catch (error) {
      throw await this.#fail(error, "");
    }
  }

  /** Sends a statement again that is lost on a kept connection; values can be sent only once. */
  async #send(values: Readable | undefined): Promise<Readable> {
    const { kept, single } = await this.#shard.clients();
    if (values !== undefined) {
      // The server frees a session just after its response, before it reads the next request of the same connection.
      const client = this.#statement.session === undefined ? single : kept;
      return await this.#exec(client, this.#id, values);
    }
    try {
      return await this.#exec(kept, this.#id);
    } catch (error) {
      if (!isLostOnKept(error)) throw error;
      return await this.#exec(single, `${this.#id}-2`);
    }
  }

  async #exec(client: ClickHouseClient, id: string, values?: Readable): Promise<Readable> {
    const { sql, parameters, settings, session } = this.#statement;
    this.#stop.signal.throwIfAborted();
    const { stream } = await client.exec({
      query: sql,
      query_id: id,
      abort_signal: this.#stop.signal,
      clickhouse_settings: {
        ...commonSettings,
        // An insert which arrives twice counts once.
        ...(values !== undefined && { insert_deduplication_token: this.#id }),
        ...settings,
      },
      ...(parameters !== undefined && { query_params: parameters }),
      ...(session !== undefined && { session_id: session }),
      ...(values !== undefined && { values }),
    });
    return stream;
  }

  /** Returns the bytes of the result. A generator which is left before its start would not end the statement. */
  bytes(stream: Readable): AsyncGenerator<Buffer, void> {
    const parts = this.#read(stream);
    let isStarted = false;
    const leave = async (): Promise<void> => {
      if (isStarted) return;
      this.#cancel();
      await this.#close();
    };
    return {
      next: () => {
        isStarted = true;
        return parts.next();
      },
      return: async () => {
        await leave();
        return await parts.return();
      },
      throw: async (error) => {
        await leave();
        return await parts.throw(error);
      },
      [Symbol.asyncIterator]() {
        return this;
      },
      async [Symbol.asyncDispose]() {
        await this.return();
      },
    };
  }

  async *#read(stream: Readable): AsyncGenerator<Buffer, void> {
    const tail = new Tail();
    let isComplete = false;
    try {
      for (const signal of this.#signals()) signal.throwIfAborted();
      for await (const part of stream as AsyncIterable<Buffer>) {
        tail.add(part);
        yield part;
      }
      isComplete = true;
      for (const signal of this.#signals()) signal.throwIfAborted();
    } catch (error) {
      isComplete = true;
      throw await this.#fail(error, tail.text());
    } finally {
      // The reader has left.
      if (!isComplete) this.#cancel();
      await this.#close();
    }
  }

  #signals(): readonly AbortSignal[] {
    return [this.#statement.signal, this.#shard.closing].filter((signal) => signal !== undefined);
  }

  /** Returns the error for the caller, once the statement has ended. */
  async #fail(error: unknown, tail: string): Promise<unknown> {
    this.#span?.end(failureOf(error));
    await this.#close();
    const aborted = this.#signals().find((signal) => signal.aborted);
    if (aborted !== undefined) return aborted.reason;
    return storeError(exceptionIn(tail) ?? error, this.#shard.name);
  }

  readonly #cancel = (): void => {
    this.#killed ??= this.#kill();
    this.#stop.abort();
    this.#stream?.destroy(new Error("the statement was cancelled"));
  };

  /** A closed connection ends only reads, and only when the server notices. */
  async #kill(): Promise<void> {
    try {
      const { single } = await this.#shard.clients();
      await single.command({
        query: `KILL QUERY WHERE startsWith(query_id, '${this.#id}') SYNC`,
        abort_signal: AbortSignal.timeout(killMs),
      });
    } catch {
      // A server which does not answer has ended it, or will when it finds the connection closed.
    }
  }

  async #close(): Promise<void> {
    for (const signal of this.#signals()) signal.removeEventListener("abort", this.#cancel);
    await this.#killed;
    this.#span?.end();
    this.#end.resolve();
  }
}
