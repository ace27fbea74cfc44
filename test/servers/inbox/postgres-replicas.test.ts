import { Client } from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { ElementOutcome, Inbox, WorkItem } from "../../../store/inbox/inbox.ts";
import { migrate, openPostgresInbox } from "../../../store/inbox/postgres/open.ts";
import { batchOf, indexesOf, pushIdsOf, text } from "../../conformance/inbox/batches.ts";
import { openPostgresServer, type PostgresServer } from "./postgres-server.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

interface Replicas extends AsyncDisposable {
  readonly schema: string;
  readonly inboxes: readonly [Inbox, Inbox];
  /** The difference of the second clock to the first. */
  aheadMs: number;
}

async function openReplicas(): Promise<Replicas> {
  const schema = `inbox_${++schemas}`;
  await migrate(server, schema);
  const clock = { aheadMs: 0 };
  const retention = { finishedMs: 0 };
  const nowMs = Date.now();
  const options = { url: server.url, schema, retention };
  const a = await openPostgresInbox({ ...options, now: () => nowMs });
  const b = await openPostgresInbox({ ...options, now: () => nowMs + clock.aheadMs });
  return Object.assign(clock, {
    schema,
    inboxes: [a, b] as const,
    async [Symbol.asyncDispose]() {
      await Promise.all([a[Symbol.asyncDispose](), b[Symbol.asyncDispose]()]);
    },
  });
}

/** Calls as many times, at the first and the second replica in turn, all at once. */
async function fromBoth<T>(
  replicas: Replicas,
  times: number,
  call: (inbox: Inbox) => Promise<T>,
): Promise<T[]> {
  return await Promise.all(Array.from({ length: times }, (_, i) => call(replicas.inboxes[i % 2]!)));
}

function done(item: WorkItem): ElementOutcome[] {
  return indexesOf(item).map((index) => ({ index, kind: "done" }));
}

it("handle a batch sent to both 100 times at once one time, and give the same reply", async () => {
  await using replicas = await openReplicas();
  let sent = 0;
  const results = await fromBoth(replicas, 100, (inbox) =>
    inbox.accept(batchOf(["a"], { requestId: "r1", reply: Buffer.from(`reply ${++sent}`) })),
  );
  const replies = results.filter((result) => result.kind === "duplicate").map(({ reply }) => text(reply));
  expect(replies).toHaveLength(99);
  expect(new Set(replies).size).toBe(1);
  expect(await replicas.inboxes[0].counts({ recount: true })).toMatchObject([{ accepted: 1, pending: 1 }]);
});

it("make a repeat wait for the commit of the first, and answer as that did", async () => {
  await using replicas = await openReplicas();
  const [a, b] = replicas.inboxes;
  const first = batchOf(["a"], { requestId: "r1", reply: Buffer.from("the first's reply") });
  await a.accept(first);
  // Another process that has made the same claim, and not committed yet.
  await using other = await openClient();
  await other.client.query("BEGIN");
  await other.client.query(`CREATE TABLE claim AS SELECT * FROM ${replicas.schema}.claims`);
  await other.client.query(`DELETE FROM ${replicas.schema}.claims`);
  await other.client.query(`COMMIT; BEGIN; INSERT INTO ${replicas.schema}.claims SELECT * FROM claim`);
  const repeat = b.accept({ ...first, reply: Buffer.from("another reply") });
  await vi.waitFor(() => expect(waitingForLocks()).toBe(1));
  await other.client.query("COMMIT");
  const result = await repeat;
  expect(result.kind).toBe("duplicate");
  expect(text((result as { reply: Uint8Array }).reply)).toBe("the first's reply");
});

it("never give an element to both", async () => {
  await using replicas = await openReplicas();
  await fromBoth(replicas, 40, (inbox) => inbox.accept(batchOf(["a", "b"])));
  const leases = await fromBoth(replicas, 60, (inbox) =>
    inbox.lease({ target: "t", maxElements: 3, leaseMs: 60_000 }),
  );
  const rest = await replicas.inboxes[1].lease({ target: "t", maxElements: 1000, leaseMs: 60_000 });
  const items = [...leases, rest].flatMap((lease) => lease.items);
  const ids = items.flatMap(({ elements }) => elements.map(({ deliveryId }) => deliveryId));
  expect(ids).toHaveLength(80);
  expect(new Set(ids).size).toBe(80);
});

it("keep the order of a push id between them", async () => {
  await using replicas = await openReplicas();
  const routes = [{ target: "t", indexes: "all" as const, ordered: true }];
  await fromBoth(replicas, 20, (inbox) => inbox.accept(batchOf(["a", "b"], { routes })));
  const order: string[] = [];
  for (let round = 0; round < 20; round++) {
    const leases = await fromBoth(replicas, 6, (inbox) =>
      inbox.lease({ target: "t", maxElements: 10, leaseMs: 60_000 }),
    );
    const items = leases.flatMap((lease) => lease.items);
    expect(pushIdsOf(items).toSorted()).toEqual(["a", "b"]);
    order.push(...items.filter((item) => pushIdsOf([item]).includes("a")).map(({ batchId }) => batchId));
    await Promise.all(items.map((item, i) => replicas.inboxes[i % 2]!.settle(item.token, done(item))));
  }
  expect(new Set(order).size).toBe(20);
  expect(await replicas.inboxes[0].counts({ recount: true })).toMatchObject([{ delivered: 40, pending: 0 }]);
});

it("balance their books and finish every batch when both work on everything", async () => {
  await using replicas = await openReplicas();
  const routes = ["t", "u"].map((target) => ({ target, indexes: "all" as const }));
  await fromBoth(replicas, 50, (inbox) => inbox.accept(batchOf(["a", "b", "c", "d"], { routes })));
  await fromBoth(replicas, 20, async (inbox) => {
    for (const target of ["t", "u", "t", "u", "t", "u", "t", "u"]) {
      const { items } = await inbox.lease({ target, maxElements: 10, leaseMs: 60_000 });
      await Promise.all(items.map((item) => inbox.settle(item.token, done(item))));
    }
  });
  const [a, b] = replicas.inboxes;
  for (const target of ["t", "u"]) {
    const { items } = await a.lease({ target, maxElements: 1000, leaseMs: 60_000 });
    await Promise.all(items.map((item) => b.settle(item.token, done(item))));
  }
  const books = { accepted: 200, delivered: 200, dead: 0, pending: 0 };
  expect(await a.counts({ recount: true })).toMatchObject([books, books]);
  expect(await b.counts()).toMatchObject([books, books]);
  replicas.aheadMs = 1;
  expect(await b.prune()).toMatchObject({ batches: 50 });
});

it("refuse the settlement of one that was paused while the other took its work", async () => {
  await using replicas = await openReplicas();
  const [paused, other] = replicas.inboxes;
  await paused.accept(batchOf(["a"]));
  const slow = (await paused.lease({ target: "t", maxElements: 1, leaseMs: 10_000 })).items[0]!;
  replicas.aheadMs = 20_000;
  const quick = (await other.lease({ target: "t", maxElements: 1, leaseMs: 10_000 })).items[0]!;
  expect(await paused.settle(slow.token, done(slow))).toEqual({ kind: "stale" });
  expect(await paused.extend(slow.token, 10_000)).toEqual({ kind: "stale" });
  expect(await other.settle(quick.token, done(quick))).toMatchObject({ kind: "settled" });
  expect(await paused.counts()).toMatchObject([{ delivered: 1, pending: 0 }]);
});

function waitingForLocks(): number {
  const sql = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  return Number(server.query(sql));
}

async function openClient(): Promise<AsyncDisposable & { readonly client: Client }> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
