import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { openHttpServer } from "../../services/webhook/targets/http-server.ts";
import { arrivalsAt } from "./arrivals.ts";
import { batchesOf, seeded } from "./batches.ts";
import { settledBooks } from "./books.ts";
import { configOf } from "./config.ts";
import { openEngage } from "./engage.ts";
import { createSender } from "./senders.ts";
import { stores } from "./stores.ts";

const messages = 10_000;
const kills = 15;
const concurrency = 8;
/** Calls that the target has answered and whose commit was still to come: of one batch at the most. */
const inFlight = concurrency + 100;

describe.each(stores)("%s", (_name, openStore) => {
  const name = `loses none of ${messages} messages when the service is killed ${kills} times`;
  it(name, { timeout: 300_000 }, async ({ signal }) => {
    await using store = await openStore();
    await using target = await openHttpServer();
    const arrivals = arrivalsAt(target);
    await using engage = await openEngage(store.folder, configOf(store, { target, concurrency }));
    using sender = createSender(engage, { signal });
    const random = seeded(20_260_102);
    const batches = batchesOf(messages, random);
    const share = Math.ceil(batches.length / kills);
    const sent: Promise<unknown>[] = [];
    const send = (from: number, count: number): void => {
      sent.push(...batches.slice(from, from + count).map(sender.sendUntilAcknowledged));
    };
    for (let life = 0; life < kills; life++) {
      const half = Math.floor(share / 2);
      const arrived = arrivals.size;
      send(life * share, half);
      await Promise.all(sent);
      await vi.waitUntil(() => arrivals.size > arrived, { timeout: 60_000, interval: 1 });
      // The kill comes at a random moment, while these are sent and the others are delivered.
      send(life * share + half, share - half);
      await sleep(random() * 12);
      await engage.kill();
      await engage.start();
    }
    await Promise.all(sent);
    const pushIds = batches.flatMap((batch) => batch.pushIds);
    const books = { accepted: messages, delivered: messages, dead: 0, pending: 0 };
    expect(await settledBooks(engage)).toEqual(books);
    expect(pushIds.filter((pushId) => !arrivals.has(pushId))).toEqual([]);
    expect(arrivals.size).toBe(messages);
    expect(target.calls.length - messages).toBeLessThanOrEqual(kills * inFlight);
    // The kills have hit senders too.
    expect(sender.statuses.get(0)).toBeGreaterThan(kills);
  });
});
