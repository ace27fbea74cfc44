import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { RecordWatcher } from "../../../gen/engage/event/v1/record_watcher_pb.ts";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { type ClickHouseServer, openClickHouse } from "../clickhouse/server.ts";
import { type Report, reportOf, reportUntilTaken, totalOf } from "../events/reports.ts";
import { ask, eventsConfig, storedTotals } from "../events/service.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";
import type { Engage } from "../webhook/engage.ts";
import { createSender } from "../webhook/senders.ts";
import { openReplicas, type Replicas } from "./replicas.ts";

let postgres: PostgresServer;
let shards: readonly [ClickHouseServer, ClickHouseServer];
let folder: Awaited<ReturnType<typeof openTempFolder>>;
let replicas: Replicas;
const taken: Report[] = [];

const timeout = { timeout: 90_000, interval: 100 };

beforeAll(async () => {
  [postgres, folder, shards] = await Promise.all([
    openPostgresServer(),
    openTempFolder(),
    Promise.all([openClickHouse(), openClickHouse()]),
  ]);
  replicas = await openReplicas(folder.path, 2, {
    ...eventsConfig({ spool: { maxFileBytes: 1_048_576 }, batch: { maxDelayMs: 30, maxBytes: 1_048_576 } }),
    projects: [{ id: 1, appids: ["app"], zone: "UTC" }, { id: 2 }, { id: 3 }, { id: 4 }],
    stores: {
      driver: "shared",
      postgres: { url: postgres.url, maxConnections: 4 },
      clickhouse: { shards: shards.map(({ url }) => url), user: "default" },
    },
  });
});
afterAll(async () => {
  await replicas[Symbol.asyncDispose]();
  await Promise.all([postgres, folder, ...shards].map((one) => one[Symbol.asyncDispose]()));
});

/** Sends reports to replicas in turn while something is done. */
async function reportDuring(work: () => Promise<void>, ...to: readonly Engage[]): Promise<void> {
  const targets = to.length === 0 ? replicas.all : to;
  const senders = targets.map((replica) => createSender(replica, { connections: 2 }));
  const stop = new AbortController();
  const send = async (at: number): Promise<void> => {
    while (!stop.signal.aborted) {
      const report = reportOf(batches++);
      // What has begun is sent until it is taken, by a replica that lives.
      await reportUntilTaken(senders[at % senders.length]!, report);
      taken.push(report);
      await sleep(40);
    }
  };
  const sending = Promise.all([0, 1, 2, 3].map(send));
  try {
    await work();
  } finally {
    stop.abort();
    await sending;
    for (const sender of senders) sender[Symbol.dispose]();
  }
}

let batches = 0;
const expectSame = async (): Promise<void> => {
  const expected = totalOf(taken);
  for (const replica of replicas.all) expect(await storedTotals(replica)).toEqual(expected);
};

it("stores what both replicas take once, and both report the same", async () => {
  await reportDuring(() => vi.waitFor(() => expect(taken.length).toBeGreaterThan(10), timeout));
  await expectSame();
});

it("knows new records on both replicas as soon as one shows them", async () => {
  const [first, second] = replicas.all as [Engage, Engage];
  await reportDuring(() => sleep(200));
  const events = [{ type: "normal", eventName: "play", analysis: "TOTAL_TIMES" }];
  const count = async (replica: Engage): Promise<number> => {
    const answer = await ask(replica, "event-analyze", { events, useCache: true });
    return Number(answer.data.y[0]["play.TOTAL_TIMES"][0].values[0]);
  };
  const expected = totalOf(taken).events;
  await vi.waitFor(async () => expect(await count(first)).toBe(expected), timeout);
  expect(await count(second)).toBe(expected);
});

/** Returns the number of projects that each replica loads, ascending. */
const loading = (): number[] =>
  postgres
    .query(
      `SELECT count(*) FROM engage.leases WHERE name LIKE 'load/%' AND holder <> ''
       AND until_ms > extract(epoch FROM clock_timestamp()) * 1000 GROUP BY holder ORDER BY 1`,
    )
    .split("\n")
    .map(Number);

it("divides the projects among the replicas", async () => {
  await vi.waitFor(() => expect(loading()).toEqual([2, 2]), timeout);
});

/** Watches the records of project 1 on a replica, and counts them. */
async function watchRecords({ port }: Engage, signal: AbortSignal): Promise<{ count: number }> {
  const seen = { count: 0 };
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` });
  const responses = createClient(RecordWatcher, transport)
    .watchRecords({ projectId: 1n }, { signal })
    [Symbol.asyncIterator]();
  await responses.next();
  const read = async (): Promise<void> => {
    for (let next = await responses.next(); !next.done; next = await responses.next()) {
      const { records, skipped } = next.value;
      seen.count += records.length + Number(skipped);
    }
  };
  read().catch(() => {});
  return seen;
}

it("shows records on the replica that loads them", async () => {
  const watching = new AbortController();
  const seen = await Promise.all(replicas.all.map((replica) => watchRecords(replica, watching.signal)));
  const before = taken.length;
  await reportDuring(() => sleep(300));
  const sent = totalOf(taken.slice(before)).events;
  await vi.waitFor(
    () => expect(Math.max(...seen.map(({ count }) => count))).toBeGreaterThanOrEqual(sent),
    timeout,
  );
  expect(Math.min(...seen.map(({ count }) => count))).toBe(0);
  watching.abort();
});

it("has rows on both shards, and the same lists and downloads on both replicas", async () => {
  for (const shard of shards)
    expect(Number(await shard.query("SELECT count() FROM engage.e1"))).toBeGreaterThan(0);
  const [first, second] = replicas.all as [Engage, Engage];
  const events = [{ type: "normal", eventName: "play", analysis: "TRIG_USER_NUM" }];
  const body = { projectId: 1, events, eventView: { recentDay: "0-3", timeParticleSize: "total" } };
  const download = async ({ port }: Engage, path: string, more: object = {}): Promise<string[]> => {
    const url = `http://127.0.0.1:${port}/open/streaming-download/${path}?token=the-token`;
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify({ ...body, ...more }),
    });
    expect(response.headers.get("content-type")).toContain("text/csv");
    return (await response.text()).trimEnd().split("\n");
  };
  const slice = { sliceGroupVal: [], eventIndex: 0, selectedColumns: ["#user_id", "#account_id"] };
  const rows = await download(first, "event-analyze");
  const users = await download(first, "event-user-list", slice);
  const { data } = await ask(first, "event-analyze", { events });
  const [count] = Object.values(data.y[0] as Record<string, { values: string[] }[]>);
  expect(rows.at(-1)).toContain(count![0]!.values[0]);
  expect(users.length - 1).toBe(Number(count![0]!.values[0]));
  expect(await download(second, "event-analyze")).toEqual(rows);
  expect((await download(second, "event-user-list", slice)).toSorted()).toEqual(users.toSorted());
});

it("loads names that were removed while records with them are loaded under new numbers", async () => {
  const forget = ["store", "forget", "--project", "1", "--property", "batch", "text", "--yes"];
  await reportDuring(async () => {
    for (let round = 0; round < 3; round++) {
      await sleep(300);
      // The command fails until a batch with the property is loaded again.
      const output = await vi.waitFor(() => replicas.run(...forget), timeout);
      expect(output).toMatch(/^deleted 0 names of events with 0 events, 2 of properties$/m);
    }
    // The last batch arrives after the last removal.
    await sleep(500);
  });
  await expectSame();
  const [first, second] = replicas.all as [Engage, Engage];
  const last = taken.at(-1)!;
  const filts = [
    { columnName: "batch", tableType: "event", comparator: "equal", ftv: [String(batches - 1)] },
  ];
  const events = [{ type: "normal", eventName: "play", analysis: "TOTAL_TIMES", filts }];
  for (const replica of [first, second]) {
    const answer = await ask(replica, "event-analyze", { events });
    expect(answer.data.y[0]["play.TOTAL_TIMES"][0].values[0]).toBe(String(last.events));
  }
});

it("loads on the other replica what a killed one was loading, once", async () => {
  const [first, second] = replicas.all as [Engage, Engage];
  await reportDuring(async () => {
    await sleep(500);
    await first.kill();
    await sleep(1_000);
  }, second);
  expect(await storedTotals(second)).toEqual(totalOf(taken));
  await vi.waitFor(() => expect(loading()).toEqual([4]), timeout);
  await first.start();
  await vi.waitFor(() => expect(loading()).toEqual([2, 2]), timeout);
  await reportDuring(async () => {
    await second.kill();
    await sleep(500);
    await second.start();
  });
  await expectSame();
});

it("accepts records while a shard is unavailable, refuses queries with a time to retry, and goes on", async () => {
  const [first] = replicas.all as [Engage, Engage];
  await shards[1].kill();
  const before = taken.length;
  await reportDuring(async () => {
    await vi.waitUntil(() => taken.length > before + 10, timeout);
    const events = [{ type: "normal", eventName: "play", analysis: "TOTAL_TIMES" }];
    expect(await ask(first, "event-analyze", { events })).toMatchObject({ return_code: -1005 });
    const ready = await fetch(`http://127.0.0.1:${first.port}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      expect.objectContaining({
        checks: expect.objectContaining({ clickhouse: "degraded: unavailable shards: 2", postgres: "ok" }),
      }),
    ]);
    const metrics = await (await fetch(`http://127.0.0.1:${first.port}/metrics`)).text();
    expect(metrics).toContain(
      'engage_store_up{part="postgres"} 1\nengage_store_up{part="clickhouse-1"} 1\nengage_store_up{part="clickhouse-2"} 0\n',
    );
    await first.kill();
    await first.start();
  });
  await shards[1].start();
  await vi.waitFor(async () => {
    const ready = await fetch(`http://127.0.0.1:${first.port}/readyz`);
    expect(await ready.json()).toMatchObject({ checks: { clickhouse: "ok", events: "ok" } });
  }, timeout);
  await expectSame();
});

it("reads the same store by commands", async () => {
  const { projects } = JSON.parse(await replicas.run("store", "stats", "--json")) as {
    projects: { projectId: number; events: number }[];
  };
  expect(projects).toMatchObject([{ projectId: 1, events: totalOf(taken).events }]);
  expect(await replicas.run("store", "check")).toBe("no faults found\n");
  expect(await replicas.run("migrate")).toMatch(
    /nothing to do: events in database "engage" of shard 2 has version \d+\n$/,
  );
});
