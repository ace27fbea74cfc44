import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { moveSavedQueries } from "../../../store/savedqueries/move.ts";
import { migrate, openPostgresSavedQueries } from "../../../store/savedqueries/postgres/open.ts";
import { openSqliteSavedQueries } from "../../../store/savedqueries/sqlite/open.ts";
import { describeSavedQueries, query } from "../../conformance/savedqueries.ts";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

async function freshSchema(): Promise<string> {
  const schema = `saved_${++schemas}`;
  await migrate(server, schema);
  return schema;
}

const openIn = (schema: string) => openPostgresSavedQueries({ url: server.url, schema });

describeSavedQueries("saved queries in a database", async () => {
  const schema = await freshSchema();
  return {
    open: async (now) => openPostgresSavedQueries({ url: server.url, schema, now }),
    async [Symbol.asyncDispose]() {
      server.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
});

describe("saved queries of replicas", () => {
  it("are updated by one of those that read the same version", async () => {
    const schema = await freshSchema();
    await using one = openIn(schema);
    await using other = openIn(schema);
    await one.create(query("a"));
    const outcomes = await Promise.all([one, other].map((store) => store.update("q1", 1, query("b"))));
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(["saved", "stale"]);
  });

  it("get a name once", async () => {
    const schema = await freshSchema();
    await using one = openIn(schema);
    await using other = openIn(schema);
    const outcomes = await Promise.all([one, other].map((store) => store.create(query("a"))));
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(["name_taken", "saved"]);
  });

  it("are unavailable with the database, and come back with it", async () => {
    const schema = await freshSchema();
    await using store = openIn(schema);
    await store.create(query("a"));
    await server.kill();
    await expect(store.find(1, "q1")).rejects.toMatchObject({ name: "SavedQueriesUnavailableError" });
    await server.start();
    await vi.waitFor(async () => expect(await store.find(1, "q1")).toMatchObject({ name: "a" }), {
      timeout: 30_000,
    });
  });

  it("need their tables", async () => {
    await using store = openIn("never");
    await expect(store.list(1, { limit: 1 })).rejects.toMatchObject({
      name: "SavedQueriesOpenError",
      message:
        'store of saved queries schema "never" has version 0, this program needs 1: run engage migrate',
    });
  });

  it("come from the file of a data folder, once", async () => {
    await using folder = await openTempFolder();
    const path = join(folder.path, "saved.db");
    const connection = { url: server.url, schema: await freshSchema() };
    expect(await moveSavedQueries(path, connection)).toEqual({ rows: 0, isFound: false });
    const file = await openSqliteSavedQueries({ path, minFreeBytes: 0 });
    await file.create(query("a"));
    await file.create(query("b", { projectId: 2, request: '{"n":9007199254740993}' }));
    const moved = await file.find(2, "q2");
    await file[Symbol.asyncDispose]();
    expect(await moveSavedQueries(path, connection)).toEqual({ rows: 2, isFound: false });
    expect(await moveSavedQueries(path, connection)).toEqual({ rows: 2, isFound: true });
    await using store = openIn(connection.schema);
    expect(await store.find(2, "q2")).toEqual(moved);
    expect(await store.create(query("c"))).toMatchObject({ query: { queryId: "q3" } });
  });
});
