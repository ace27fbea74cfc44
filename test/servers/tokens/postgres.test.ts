import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openTokenList } from "../../../cmd/serve/analysis/tokens.ts";
import { migrate, openPostgresTokens } from "../../../store/tokens/postgres/open.ts";
import { loadText } from "../../cmd/config/load.ts";
import { describeTokens, token } from "../../conformance/tokens.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const timeout = 30_000;

async function freshSchema(): Promise<string> {
  const schema = `tokens_${++schemas}`;
  await migrate(server, schema);
  return schema;
}

describeTokens(async () => {
  const schema = await freshSchema();
  return { open: () => openPostgresTokens({ url: server.url, schema }) };
});

describe("tokens in a database", () => {
  it("are all stored when several processes add them at once", async () => {
    const schema = await freshSchema();
    const names = Array.from({ length: 20 }, (_, n) => `token-${n}`);
    const added = await Promise.all(
      names.map(async (name) => {
        await using tokens = openPostgresTokens({ url: server.url, schema });
        return await tokens.add(token(name));
      }),
    );
    expect(added).toEqual(names.map(() => true));
    await using tokens = openPostgresTokens({ url: server.url, schema });
    expect((await tokens.list()).map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });

  it("remain valid while the database is unavailable, which is reported once", async () => {
    const schema = await freshSchema();
    await using tokens = openPostgresTokens({ url: server.url, schema });
    await tokens.add(token("one"));
    const failed = vi.fn();
    using followed = await tokens.follow(failed);
    await server.kill();
    await vi.waitFor(() => expect(failed).toHaveBeenCalled(), { timeout });
    expect(followed.current()).toEqual([token("one")]);
    await expect(tokens.list()).rejects.toMatchObject({ name: "TokensUnavailableError" });
    await server.start();
    await vi.waitFor(() => tokens.add(token("two")), { timeout });
    await vi.waitFor(() => expect(followed.current()).toHaveLength(2), { timeout });
    expect(failed).toHaveBeenCalledOnce();
  });

  it("are not known before the database is available", async () => {
    const schema = await freshSchema();
    await server.kill();
    await using tokens = openPostgresTokens({ url: server.url, schema });
    using followed = await tokens.follow(() => {});
    expect(() => followed.current()).toThrow("the tokens could not be read yet");
    await server.start();
    await vi.waitFor(() => expect(followed.current()).toEqual([]), { timeout });
  });

  it("refuse queries with a time to retry until they are known", async () => {
    const schema = await freshSchema();
    await server.kill();
    const stores = { driver: "shared", postgres: { url: server.url, schema } };
    const { config } = loadText(
      JSON.stringify({ projects: [{ id: 1 }], stores, events: { driver: "duckdb" } }),
    );
    await using list = await openTokenList(config, () => {});
    expect(() => list.find("any")).toThrow(
      expect.objectContaining({ returnCode: -1005, retryAfterMs: 1_000, name: "AnalysisRefusal" }),
    );
    await server.start();
    await vi.waitFor(() => expect(list.find("any")).toBeUndefined(), { timeout });
  });

  it("need their tables", async () => {
    await using tokens = openPostgresTokens({ url: server.url, schema: "never" });
    const missing = {
      name: "TokensOpenError",
      message: 'token store schema "never" has version 0, this program needs 1: run engage migrate',
    };
    await expect(tokens.list()).rejects.toMatchObject(missing);
    await expect(tokens.follow(() => {})).rejects.toMatchObject(missing);
  });
});
