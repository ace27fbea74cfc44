import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Inbox } from "../../../store/inbox/inbox.ts";
import { migrate, openPostgresInbox, type PostgresInboxOptions } from "../../../store/inbox/postgres/open.ts";
import { batchOf } from "../../conformance/inbox/batches.ts";
import { openPostgresServer, type PostgresServer } from "./postgres-server.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

async function openFresh(
  options: Partial<PostgresInboxOptions> = {},
): Promise<{ schema: string; inbox: Inbox }> {
  const schema = `inbox_${++schemas}`;
  await migrate(server, schema);
  return { schema, inbox: await openPostgresInbox({ url: server.url, schema, ...options }) };
}

const unavailable = { name: "InboxUnavailableError" };

describe("versions", () => {
  it("are brought up once, by one of several who try", async () => {
    const migrated = await Promise.all(Array.from({ length: 5 }, () => migrate(server, "fresh")));
    expect(migrated.toSorted((a, b) => a.from - b.from)).toEqual([
      { from: 0, to: 6 },
      ...Array.from({ length: 4 }, () => ({ from: 6, to: 6 })),
    ]);
  });

  it("older than the program's are refused", async () => {
    await expect(openPostgresInbox({ url: server.url, schema: "never_migrated" })).rejects.toMatchObject({
      name: "InboxOpenError",
      message: 'inbox schema "never_migrated" has version 0, this program needs 6: run engage migrate',
    });
  });

  it("newer than the program's are refused", async () => {
    const { schema, inbox } = await openFresh();
    await inbox[Symbol.asyncDispose]();
    server.query(`UPDATE ${schema}.version SET version = 7`);
    const message = `inbox schema "${schema}" has version 7, newer than 6, which this program knows`;
    const error = { name: "InboxOpenError", message };
    await expect(openPostgresInbox({ url: server.url, schema })).rejects.toMatchObject(error);
    await expect(migrate(server, schema)).rejects.toMatchObject(error);
  });

  it("belong to schemas with plain names", async () => {
    const schema = 'x"; DROP SCHEMA public';
    await expect(openPostgresInbox({ url: server.url, schema })).rejects.toThrow(RangeError);
    await expect(migrate(server, schema)).rejects.toThrow(RangeError);
  });
});

it("refuses a server that answers before the disk has it", async () => {
  const { schema, inbox } = await openFresh();
  await inbox[Symbol.asyncDispose]();
  server.query("CREATE ROLE careless SUPERUSER LOGIN; ALTER ROLE careless SET synchronous_commit = off");
  const url = server.url.replace("engage@", "careless@");
  await expect(openPostgresInbox({ url, schema })).rejects.toMatchObject({
    name: "InboxOpenError",
    message: expect.stringContaining("synchronous_commit off"),
  });
});

it("reports that the database is unavailable when it cannot be opened", async () => {
  const url = "postgresql://engage@127.0.0.1:1/postgres";
  await expect(openPostgresInbox({ url })).rejects.toMatchObject(unavailable);
  await expect(migrate({ url }, "any")).rejects.toMatchObject(unavailable);
});

it("takes no batch beyond its cap", async () => {
  await using inbox = (await openFresh({ maxBytes: 900_000 })).inbox;
  const body = Buffer.alloc(500_000, " ");
  expect(await inbox.health()).toMatchObject({ writable: true, freeBytes: null });
  expect(await inbox.accept(batchOf([], { body }))).toMatchObject({ kind: "stored" });
  expect((await inbox.health()).usedBytes).toBeGreaterThan(500_000);
  await expect(inbox.accept(batchOf([], { body }))).rejects.toMatchObject({
    name: "InboxFullError",
    message: expect.stringContaining("at most 900000 are allowed"),
  });
});

describe("a server that doesn't answer", () => {
  /** Holds a table, so that all who want it wait. */
  async function holdTable(table: string): Promise<{ client: Client; release(): Promise<void> }> {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return { client, release: () => client.end() };
  }

  it("is given up after the statement's time, and used again later", async () => {
    const { inbox, schema } = await openFresh({ statementTimeoutMs: 200 });
    await using _inbox = inbox;
    const held = await holdTable(`${schema}.batches`);
    await expect(inbox.accept(batchOf(["a"]))).rejects.toMatchObject(unavailable);
    await expect(inbox.accept(batchOf(["a"], { requestId: "r1", reply: null }))).rejects.toMatchObject(
      unavailable,
    );
    await held.release();
    expect(await inbox.accept(batchOf(["a"]))).toMatchObject({ kind: "stored" });
    expect(await inbox.counts({ recount: true })).toMatchObject([{ accepted: 1, pending: 1 }]);
  });

  it("limits the number that wait", async () => {
    const { inbox, schema } = await openFresh({ maxConnections: 1, maxWaiting: 3 });
    await using _inbox = inbox;
    const held = await holdTable(`${schema}.batches`);
    const sent = Array.from({ length: 20 }, () => inbox.accept(batchOf(["a"])));
    const refused = sent.slice(3).map((call) => expect(call).rejects.toThrow("already wait"));
    await Promise.all(refused);
    await held.release();
    expect(await Promise.all(sent.slice(0, 3))).toHaveLength(3);
    expect(await inbox.counts()).toMatchObject([{ accepted: 3 }]);
  });

  it("is left to itself on a signal, and its connection is used again", async () => {
    const { inbox, schema } = await openFresh({ maxConnections: 1 });
    await using _inbox = inbox;
    const held = await holdTable(`${schema}.batches`);
    const abort = new AbortController();
    const call = inbox.accept(batchOf(["a"]), { signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await held.release();
    expect(await inbox.accept(batchOf(["b"]))).toMatchObject({ kind: "stored" });
  });
});

describe("a server that goes away", () => {
  it("makes every call say so, and is found again when it is back", async () => {
    await using inbox = (await openFresh()).inbox;
    await inbox.accept(batchOf(["a"], { requestId: "r1" }));
    const { items } = await inbox.lease({ target: "t", maxElements: 1, leaseMs: 60_000 });
    await server.kill();
    const calls = [
      () => inbox.accept(batchOf(["b"])),
      () => inbox.accept(batchOf(["b"], { requestId: "r2", reply: null })),
      () => inbox.lease({ target: "t", maxElements: 1, leaseMs: 60_000 }),
      () => inbox.settle(items[0]!.token, [{ index: 0, kind: "done" }]),
      () => inbox.counts(),
      () => inbox.prune(),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(unavailable);
    expect(await inbox.health()).toMatchObject({ writable: false, oldestPendingMs: null, usedBytes: null });
    await server.start();
    expect(await inbox.settle(items[0]!.token, [{ index: 0, kind: "done" }])).toMatchObject({
      kind: "settled",
    });
    expect(await inbox.accept(batchOf(["a"], { requestId: "r1" }))).toMatchObject({ kind: "duplicate" });
    expect(await inbox.health()).toMatchObject({ writable: true });
  });

  it("is waited for by an inbox that is opened meanwhile", async () => {
    const { schema, inbox: before } = await openFresh();
    await before[Symbol.asyncDispose]();
    await server.kill();
    await expect(openPostgresInbox({ url: server.url, schema })).rejects.toMatchObject(unavailable);
    await using inbox = await openPostgresInbox({ url: server.url, schema, isAwaited: true });
    await expect(inbox.accept(batchOf(["a"]))).rejects.toMatchObject(unavailable);
    await expect(inbox.counts()).rejects.toMatchObject(unavailable);
    expect(await inbox.health()).toMatchObject({
      writable: false,
      reason: expect.stringContaining("connect"),
    });
    await server.start();
    await expect.poll(() => inbox.health(), { timeout: 30_000 }).toMatchObject({ writable: true });
    expect(await inbox.accept(batchOf(["a"]))).toMatchObject({ kind: "stored" });
    const { items } = await inbox.lease({ target: "t", maxElements: 1, leaseMs: 60_000 });
    expect(Math.abs(Date.now() - items[0]!.acceptedClockMs)).toBeLessThan(60_000);
  });

  it("loses no acknowledged batch in 5 kills while 8 senders repeat what was not answered", async () => {
    await using inbox = (await openFresh()).inbox;
    const pushIds = ["a", "b", "c"];
    const acknowledged: string[] = [];
    let isOver = false;
    const send = async (sender: number): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        const requestId = `${sender}-${n}`;
        await vi.waitUntil(
          () =>
            inbox.accept(batchOf(pushIds, { requestId })).then(
              () => true,
              () => false,
            ),
          { timeout: 60_000, interval: 20 },
        );
        acknowledged.push(requestId);
      }
    };
    const senders = Promise.all(Array.from({ length: 8 }, (_, sender) => send(sender)));
    for (let kills = 1; kills <= 5; kills++) {
      const enough = acknowledged.length + 30 + kills;
      await vi.waitUntil(() => acknowledged.length >= enough, { timeout: 60_000, interval: 1 });
      await server.kill();
      await server.start();
    }
    isOver = true;
    await senders;
    const books = { accepted: acknowledged.length * 3, pending: acknowledged.length * 3 };
    expect(await inbox.counts({ recount: true })).toMatchObject([books]);
    expect(await inbox.counts()).toMatchObject([books]);
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
  });
});
