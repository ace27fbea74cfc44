import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { type ClickHouseServer, openClickHouse } from "../clickhouse/server.ts";
import { type Report, reportOf, reportUntilTaken, totalOf } from "../events/reports.ts";
import { ask, eventsConfig, storedTotals } from "../events/service.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";
import type { Engage } from "../webhook/engage.ts";
import { createSender } from "../webhook/senders.ts";
import { openReplicas, type Replicas } from "./replicas.ts";

let postgres: PostgresServer;
let clickhouse: ClickHouseServer;
let folder: Awaited<ReturnType<typeof openTempFolder>>;
let replicas: Replicas;
const taken: Report[] = [];

const timeout = { timeout: 90_000, interval: 100 };

beforeAll(async () => {
  [postgres, clickhouse, folder] = await Promise.all([
    openPostgresServer(),
    openClickHouse(),
    openTempFolder(),
  ]);
  replicas = await openReplicas(folder.path, 2, {
    ...eventsConfig(),
    stores: {
      driver: "shared",
      postgres: { url: postgres.url, maxConnections: 4 },
      clickhouse: { shards: [clickhouse.url], user: "default" },
    },
  });
});
afterAll(async () => {
  await replicas[Symbol.asyncDispose]();
  await Promise.all([postgres, clickhouse, folder].map((one) => one[Symbol.asyncDispose]()));
});

/** Sends reports to all replicas in turn while something is done. */
async function reportDuring(work: () => Promise<void>): Promise<void> {
  const senders = replicas.all.map((replica) => createSender(replica, { connections: 2 }));
  const stop = new AbortController();
  const send = async (at: number): Promise<void> => {
    while (!stop.signal.aborted) {
      const report = reportOf(batches++);
      // What has begun is sent until it is taken, by a replica that lives.
      await reportUntilTaken(senders[at % senders.length]!, report);
      taken.push(report);
      await sleep(10);
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
  await reportDuring(() => sleep(2_000));
  expect(taken.length).toBeGreaterThan(10);
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

it("loses nothing and counts nothing twice when a replica is killed and starts again", async () => {
  await reportDuring(async () => {
    for (const replica of replicas.all) {
      await sleep(500);
      await replica.kill();
      await sleep(500);
      await replica.start();
    }
  });
  await expectSame();
});

it("takes records while ClickHouse is away, refuses queries with a time to retry, and goes on", async () => {
  const [first] = replicas.all as [Engage, Engage];
  await clickhouse.kill();
  const before = taken.length;
  await reportDuring(async () => {
    await vi.waitUntil(() => taken.length > before + 10, timeout);
    const events = [{ type: "normal", eventName: "play", analysis: "TOTAL_TIMES" }];
    expect(await ask(first, "event-analyze", { events })).toMatchObject({ return_code: -1005 });
    const ready = await fetch(`http://127.0.0.1:${first.port}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      expect.objectContaining({
        checks: expect.objectContaining({ clickhouse: "degraded: unavailable shards: 1", postgres: "ok" }),
      }),
    ]);
    const metrics = await (await fetch(`http://127.0.0.1:${first.port}/metrics`)).text();
    expect(metrics).toContain('engage_store_up{part="postgres"} 1\nengage_store_up{part="clickhouse-1"} 0\n');
    await first.kill();
    await first.start();
  });
  await clickhouse.start();
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
    /nothing to do: events in database "engage" of shard 1 has version \d+\n$/,
  );
});
