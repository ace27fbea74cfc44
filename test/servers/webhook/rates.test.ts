import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { mostInSecond } from "../../base/async/most-within.ts";
import { openHttpServer, type TestHttpServer } from "../../services/webhook/targets/http-server.ts";
import { batchOf } from "./batches.ts";
import { settledBooks } from "./books.ts";
import { configOf } from "./config.ts";
import { type Engage, openEngage } from "./engage.ts";
import { createSender } from "./senders.ts";
import { openPostgresStore, stores } from "./stores.ts";

const long = { timeout: 180_000 };
const perSecond = 20;
const pushIds = Array.from({ length: 200 }, (_, i) => `m${i}`);

function timesAt(target: TestHttpServer): number[] {
  const times: number[] = [];
  const { answer } = target;
  target.answer = (response, call) => {
    times.push(performance.now());
    answer(response, call);
  };
  return times;
}

async function sendAll(engage: Engage, signal: AbortSignal): Promise<void> {
  using sender = createSender(engage, { signal });
  for (let from = 0; from < pushIds.length; from += 50) {
    await sender.sendUntilAcknowledged(batchOf(pushIds.slice(from, from + 50), `r${from}`));
  }
}

describe.each(stores)("%s", (_name, openStore) => {
  it("a target's rate is kept over kills, starts and standstills", long, async ({ signal }) => {
    await using store = await openStore();
    await using target = await openHttpServer();
    const times = timesAt(target);
    const config = configOf(store, { target, targetSettings: { maxPerSecond: perSecond } });
    await using engage = await openEngage(store.folder, config);
    await sendAll(engage, signal);
    const arrivals = (count: number) => {
      const before = times.length;
      return vi.waitUntil(() => times.length >= before + count, { timeout: 30_000, interval: 10 });
    };
    for (let life = 0; life < 3; life++) {
      await arrivals(1.4 * perSecond);
      await engage.kill();
      await engage.start();
    }
    await arrivals(1.4 * perSecond);
    engage.signal("SIGSTOP");
    // The length of the standstill is the point: the messages of two seconds are late after it.
    await sleep(2_000);
    engage.signal("SIGCONT");
    expect(await settledBooks(engage)).toMatchObject({ delivered: pushIds.length, dead: 0 });
    expect(mostInSecond(times)).toBeLessThanOrEqual(perSecond);
  });
});

it("a target's rate is that of two replicas together", long, async ({ signal }) => {
  await using store = await openPostgresStore();
  await using target = await openHttpServer();
  const times = timesAt(target);
  const config = configOf(store, { target, targetSettings: { maxPerSecond: perSecond } });
  const folders = ["first", "second"].map((name) => join(store.folder, name));
  for (const folder of folders) mkdirSync(folder);
  await using first = await openEngage(folders[0]!, config);
  await using _second = await openEngage(folders[1]!, config);
  await sendAll(first, signal);
  expect(await settledBooks(first)).toMatchObject({ delivered: pushIds.length, dead: 0 });
  expect(mostInSecond(times)).toBeLessThanOrEqual(perSecond);
});
