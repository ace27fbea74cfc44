import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../../../base/async/clock.ts";
import { createOutbound } from "../../../base/net/outbound.ts";
import { createDelivery, type Delivery } from "../../../services/channel/delivery/delivery.ts";
import { createExchange, maxReceiverResponseBytes } from "../../../services/channel/exchange/exchange.ts";
import { startScheduler } from "../../../services/channel/schedule/scheduler.ts";
import type { ChannelStore } from "../../../store/channels/channels.ts";
import { openSqliteChannels } from "../../../store/channels/sqlite/open.ts";
import { mostInSecond } from "../../base/async/most-within.ts";
import { ended, noUsers, pushIds, startTask } from "../../services/channel/delivery/world.ts";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { answerAfter, openReceiver, type Receiver } from "./receiver.ts";

const hourMs = 3_600_000;
const silent = { failed() {}, attempted() {}, prepared() {}, refused() {} };
const outbound = createOutbound({ allow: ["127.0.0.0/8"], setting: "test" });

let setMs = 0;
/** The clock of the machine, which is set while the tests run. */
const now = (): number => Date.now() + setMs;

let opened: AsyncDisposableStack;
let store: ChannelStore;
let receiver: Receiver;
let delivery: Delivery;

beforeEach(async () => {
  setMs = 0;
  opened = new AsyncDisposableStack();
  const folder = opened.use(await openTempFolder());
  receiver = opened.use(await openReceiver());
  store = opened.use(await openSqliteChannels({ path: join(folder.path, "channels.db"), now }));
  delivery = createDelivery({
    store,
    audience: noUsers,
    clock: { ...systemClock, now },
    newRequestId: randomUUID,
    owner: "test",
    observer: silent,
    maxInFlight: 8,
    pollMs: 50,
    leaseMs: 60_000,
    events: async () => ({ users: [], conversions: 0, segments: [] }),
    openExchange: (url) =>
      createExchange({ url, outbound, maxConnections: 8, maxResponseBytes: maxReceiverResponseBytes }),
  });
  delivery.start();
  opened.defer(() => delivery.stop(1_000));
});
afterEach(() => opened.disposeAsync());

/** Sets the clock forward and back in turn, each time by another while. */
function setClocks(): Disposable {
  let times = 0;
  const setting = setInterval(() => {
    times++;
    setMs = times % 2 === 0 ? -times * hourMs : times * hourMs;
  }, 100);
  return { [Symbol.dispose]: () => clearInterval(setting) };
}

it("keeps to the rate while the clock is set, and sends each batch once", async () => {
  const rateLimit = 100;
  const settings = { url: receiver.url, delivery: { batchSize: 1, rateLimit } };
  using _setting = setClocks();
  const run = await startTask(store, settings, { audience: pushIds(300) });
  expect(await ended(store, run)).toMatchObject({ state: "done", succeeded: 300, retried: 0 });
  expect(receiver.books.size).toBe(300);
  expect([...receiver.books.values()].every(({ attempts }) => attempts === 1)).toBe(true);
  expect(mostInSecond(receiver.times)).toBeLessThanOrEqual(rateLimit);
});

it("leaves slow attempts under way when the clock passes the end of their leases", async () => {
  receiver.answer = answerAfter(700);
  const settings = { url: receiver.url, delivery: { batchSize: 10 } };
  using _setting = setClocks();
  const run = await startTask(store, settings, { audience: pushIds(200) });
  expect(await ended(store, run)).toMatchObject({ succeeded: 200, retried: 0 });
  expect([...receiver.books.values()].every(({ attempts }) => attempts === 1)).toBe(true);
});

it("retries after the interval, wherever the clock has gone", async () => {
  receiver.answer = (response, attempt) =>
    void response.end(attempt === 1 ? '{"return_code":1}' : '{"return_code":0}');
  const settings = {
    url: receiver.url,
    delivery: { batchSize: 10, retries: 1, retryIntervalSeconds: 1, strictValidation: false },
  };
  using _setting = setClocks();
  const run = await startTask(store, settings, { audience: pushIds(100) });
  expect(await ended(store, run)).toMatchObject({ succeeded: 100, retried: 10 });
  expect([...receiver.books.values()].every(({ attempts }) => attempts === 2)).toBe(true);
});

it("begins a run once for each time of a schedule", async () => {
  const times = new Set<number>();
  const claims: number[] = [];
  const watched: Pick<ChannelStore, "dueTasks" | "claimDueTask" | "channel"> = {
    dueTasks: (limit, options) => store.dueTasks(limit, options),
    channel: (channelId, options) => store.channel(channelId, options),
    async claimDueTask(claim, options) {
      const claimed = await store.claimDueTask(claim, options);
      claims.push(claim.nextRunAtMs);
      times.add(claim.nextRunAtMs);
      return claimed;
    },
  };
  const begun: string[] = [];
  const { task } = await scheduledTask();
  const failures: unknown[] = [];
  const scheduler = opened.use(
    startScheduler({
      store: watched,
      projects: { zoneOf: () => "UTC" },
      now,
      sleep: systemClock.wait,
      observer: {
        taken: (_taskId, outcome) => void begun.push(outcome),
        refused: (_taskId, error) => void failures.push(error),
        failed: (error) => void failures.push(error),
      },
    }),
  );
  // Each step is an hour before, or some minutes after, the previous one.
  for (const minutes of [1, -60, 2, 0, 3, -60, 4, 0, 5, 6]) {
    setMs = minutes * 60_000;
    scheduler.wake();
    await expect.poll(() => store.task(task).then((found) => found?.nextRunAtMs ?? 0)).toBeGreaterThan(now());
  }
  expect(failures).toEqual([]);
  expect(claims.length).toBeGreaterThanOrEqual(3);
  expect(times.size).toBe(claims.length);
  expect(claims).toEqual(claims.toSorted((a, b) => a - b));
  expect(begun).toHaveLength(claims.length);
});

/** A task that runs every minute. */
async function scheduledTask(): Promise<{ readonly task: string }> {
  const run = await startTask(
    store,
    { url: receiver.url },
    { audience: pushIds(1), schedule: { cron: "* * * * *" } },
  );
  await ended(store, run);
  const { definition, channelId } = (await store.task(run.taskId))!;
  const nextRunAtMs = Math.ceil(now() / 60_000) * 60_000;
  const made = await store.createTask({
    name: "every minute",
    channelId,
    definition,
    nextRunAtMs,
  });
  return { task: (made as Extract<typeof made, { kind: "created" }>).task.taskId };
}
