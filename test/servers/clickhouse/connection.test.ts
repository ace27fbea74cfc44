import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Connection, type ConnectionOptions } from "../../../store/events/clickhouse/connection.ts";
import { createNotingTracer } from "../../base/trace/noting-tracer.ts";
import { type ClickHouseServer, openClickHouse } from "./server.ts";

/** Takes hours. */
const endless = "SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1";

let servers: readonly ClickHouseServer[];

beforeAll(async () => {
  servers = await Promise.all([openClickHouse(), openClickHouse()]);
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
});

function connect(more: Partial<ConnectionOptions> = {}): Connection {
  const shards = servers.map(({ url }) => url);
  return new Connection({ shards, database: "default", user: "default", password: "", ...more });
}

/** The number of our statements on a server. */
async function running(server = servers[0]!): Promise<number> {
  return Number(await server.query("SELECT count() FROM system.processes WHERE query_id LIKE 'engage-%'"));
}

async function isRunning(): Promise<void> {
  await expect.poll(() => running(), { timeout: 30_000 }).toBeGreaterThan(0);
}

describe("statements", () => {
  it("bind values of all types exactly", async () => {
    await using connection = connect();
    const parameters = { text: "it's\t\\ \n€", list: ["a'b", "\\", ""], number: 0.1, whole: 2 ** 53 - 1 };
    const sql = "SELECT {text:String}, {list:Array(String)}, {number:Float64}, {whole:Int64}";
    expect(await connection.rows(0, { sql, parameters })).toEqual([
      [parameters.text, parameters.list, 0.1, "9007199254740991"],
    ]);
  });

  it("insert the bytes of a stream", async () => {
    await using connection = connect();
    await connection.command(0, { sql: "CREATE TABLE numbered (n Int64) ENGINE = MergeTree ORDER BY n" });
    const lines = Readable.from(['{"n":1}\n', '{"n":2}\n']);
    await connection.insert(0, { sql: "INSERT INTO numbered FORMAT JSONEachRow" }, lines);
    expect(await connection.rows(0, { sql: "SELECT n FROM numbered ORDER BY n" })).toEqual([["1"], ["2"]]);
  });

  it("have spans in the trace of their query, with their id in the log of the server", async () => {
    await using connection = connect();
    const { tracer, spans } = createNotingTracer();
    const traced = connection.within(tracer.startSpan("call", {}));
    const parameters = { text: "of a caller" };
    expect(await traced.rows(1, { sql: "SELECT {text:String}, queryID()", parameters })).toEqual([
      [parameters.text, spans[1]!.attributes["engage.query_id"]],
    ]);
    await expect(traced.rows(0, { sql: "SELECT throwIf(1)" })).rejects.toThrow();
    await connection.rows(0, { sql: "SELECT 1" });
    expect(spans.slice(1)).toMatchObject([
      {
        name: "SELECT",
        kind: "client",
        parent: spans[0]!.span.traceparent,
        failure: undefined,
        hasEnded: true,
      },
      { name: "SELECT", failure: { type: "Error" }, hasEnded: true },
    ]);
    expect(spans[1]!.attributes).toMatchObject({
      "db.system.name": "clickhouse",
      "db.query.text": expect.stringContaining("SELECT {text:String}"),
      "server.address": new URL(servers[1]!.url).host,
    });
  });

  it("share the temporary tables of a session", async () => {
    await using connection = connect();
    const session = "one";
    const sql = "CREATE TEMPORARY TABLE found AS SELECT 7 AS n";
    await connection.command(0, { sql, session });
    expect(await connection.rows(0, { sql: "SELECT n FROM found", session })).toEqual([[7]]);
    const other = connection.rows(0, { sql: "SELECT n FROM found" });
    await expect(other).rejects.toMatchObject({ name: "EventsUnavailableError" });
  });

  it("that read can change nothing", async () => {
    await using connection = connect();
    const asked = connection.rows(0, { sql: "CREATE TABLE n (n Int64) ENGINE = Memory AS SELECT 1" });
    await expect(asked).rejects.toMatchObject({ message: expect.stringContaining("readonly") });
  });
});

describe("a statement ends on its server", () => {
  it("when its reader leaves before the first bytes", async () => {
    const connection = connect();
    const sql = "SELECT number FROM numbers(1000000000000) FORMAT TabSeparated";
    const parts = await connection.read(0, { sql });
    await parts.return();
    expect(await running()).toBe(0);
    // Waits for all statements.
    await connection[Symbol.asyncDispose]();
  });

  it("before the call rejects with the reason of its signal", async () => {
    await using connection = connect();
    const leaving = new AbortController();
    const asked = connection.rows(0, { sql: endless, signal: leaving.signal });
    await isRunning();
    const reason = new Error("gone");
    leaving.abort(reason);
    await expect(asked).rejects.toBe(reason);
    expect(await running()).toBe(0);
  });

  it("when the reader of its result leaves", async () => {
    await using connection = connect();
    const bytes = await connection.read(0, { sql: "SELECT number FROM numbers(1000000000000) FORMAT TSV" });
    await bytes.next();
    await bytes.return();
    expect(await running()).toBe(0);
  });

  it("when the signal is aborted while its result is read", async () => {
    await using connection = connect();
    const leaving = new AbortController();
    const sql = "SELECT number FROM numbers(1000000000000) FORMAT TSV";
    const bytes = await connection.read(0, { sql, signal: leaving.signal });
    await bytes.next();
    const reason = new Error("gone");
    leaving.abort(reason);
    const rest = async (): Promise<void> => {
      for await (const _ of bytes);
    };
    await expect(rest()).rejects.toBe(reason);
    expect(await running()).toBe(0);
  });

  it("when the connection is disposed of", async () => {
    const connection = connect();
    const asked = connection.rows(0, { sql: endless });
    const rejected = expect(asked).rejects.toMatchObject({ name: "EventsUnavailableError" });
    await isRunning();
    await connection[Symbol.asyncDispose]();
    await rejected;
    expect(await running()).toBe(0);
    await expect(connection.rows(0, { sql: "SELECT 1" })).rejects.toThrow("the event store is closed");
  });

  it("when another shard fails", async () => {
    await using connection = connect();
    const asked = connection.onEach((shard, signal) =>
      connection.rows(shard, { sql: shard === 0 ? endless : "SELECT unknown", signal }),
    );
    await expect(asked).rejects.toThrow("unknown");
    expect(await running()).toBe(0);
  });

  it("when its time is over", async () => {
    await using connection = connect({ maxSeconds: 1 });
    const asked = connection.rows(0, { sql: endless });
    await expect(asked).rejects.toMatchObject({ name: "EventsUnavailableError" });
    expect(await running()).toBe(0);
  });
});

describe("errors", () => {
  it.each([
    [
      "memory",
      "SELECT length(groupArray(number)) FROM numbers(10000000)",
      { max_memory_usage: 1e7 },
      "EventsMemoryError",
    ],
    ["a missing table", "SELECT * FROM nothing", {}, "EventsUnavailableError"],
    ["a missing database", "SELECT * FROM nothing.nothing", {}, "EventsUnavailableError"],
    ["too many statements", "SELECT 1", { max_concurrent_queries_for_user: 1 }, "TooManyQueriesError"],
    ["a deep expression", `SELECT ${"1 + ".repeat(150_000)}1`, {}, "PlanTooLargeError"],
    ["a long statement", `SELECT '${"1".repeat(100_000)}'`, { max_query_size: 50_000 }, "PlanTooLargeError"],
    ["a fault of the statement", "SELECT unknown", {}, "Error"],
  ])("of %s have the class of the port", async (_what, sql, settings, name) => {
    await using connection = connect();
    const leaving = new AbortController();
    const other = connection.rows(0, { sql: endless, signal: leaving.signal });
    await isRunning();
    await expect(connection.rows(0, { sql, settings })).rejects.toMatchObject({ name });
    leaving.abort(new Error("gone"));
    await expect(other).rejects.toThrow("gone");
  });

  it("in the middle of a result have the server's reason", async () => {
    await using connection = connect();
    const sql = "SELECT throwIf(number = 30000000, 'broken') FROM numbers(40000000)";
    await expect(connection.rows(0, { sql })).rejects.toThrow("broken");
  });

  it("of a shard that is not there name it, and there is no result of the others", async () => {
    await using connection = connect();
    await servers[1]!.kill();
    const asked = connection.onEach((shard, signal) => connection.rows(shard, { sql: "SELECT 1", signal }));
    const { host } = new URL(servers[1]!.url);
    await expect(asked).rejects.toMatchObject({
      name: "EventsUnavailableError",
      message: expect.stringContaining(`shard 2 of 2 ("${host}") is unavailable: `),
    });
    await servers[1]!.start();
    expect(await connection.onEach((shard) => connection.rows(shard, { sql: "SELECT 1" }))).toEqual([
      [[1]],
      [[1]],
    ]);
  });

  it("of access contain no password", async () => {
    await using connection = connect({ user: "stranger", password: "open sesame" });
    const error: Error = await connection.rows(0, { sql: "SELECT 1" }).catch((thrown) => thrown);
    expect(error.name).toBe("EventsUnavailableError");
    expect(JSON.stringify([error.message, error.stack, error.cause, String(error.cause)])).not.toContain(
      "sesame",
    );
  });
});
