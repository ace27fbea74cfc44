import { describe, expect, it, vi } from "vitest";
import { openHttpServer } from "../../services/webhook/targets/http-server.ts";
import { arrivalsAt } from "./arrivals.ts";
import { batchOf, seeded } from "./batches.ts";
import { settledBooks } from "./books.ts";
import { configOf } from "./config.ts";
import { openEngage } from "./engage.ts";
import { createSender } from "./senders.ts";
import { stores } from "./stores.ts";

const long = { timeout: 240_000 };
const maxAttempts = 3;

describe.each(stores)("%s", (_name, openStore) => {
  it(
    "gives up no message that was not sent, however often the service is killed",
    long,
    async ({ signal }) => {
      await using store = await openStore();
      await using target = await openHttpServer();
      const { answer } = target;
      target.answer = () => {};
      const arrivals = arrivalsAt(target);
      const targetSettings = { retry: { maxAttempts, minDelayMs: 10, maxDelayMs: 200 }, timeoutMs: 60_000 };
      const config = configOf(store, { target, concurrency: 4, targetSettings });
      await using engage = await openEngage(store.folder, config);
      using sender = createSender(engage, { signal });
      const pushIds = Array.from({ length: 800 }, (_, i) => `m${i}`);
      for (let from = 0; from < 800; from += 80) {
        await sender.sendUntilAcknowledged(batchOf(pushIds.slice(from, from + 80), `r${from}`));
      }
      const random = seeded(20_261_128);
      let before = 0;
      for (let kill = 0; kill < 6; kill++) {
        const calls = before + 1 + Math.floor(random() * 4);
        await vi.waitUntil(() => target.calls.length >= calls, { timeout: 60_000 });
        await engage.kill();
        before = target.calls.length;
        await engage.start();
      }
      const seen = new Map(arrivals);
      target.answer = (response, call) => {
        const { push_id } = JSON.parse(call.body) as { push_id: string };
        seen.set(push_id, (seen.get(push_id) ?? 0) + 1);
        answer(response, call);
      };
      const books = await settledBooks(engage);
      expect(books).toMatchObject({ accepted: 800, pending: 0 });
      // Only what was called as often as allowed is given up: a few of those in flight when it was killed.
      expect(pushIds.filter((pushId) => !seen.has(pushId))).toEqual([]);
      expect(books.dead).toBeLessThanOrEqual(
        [...seen.values()].filter((count) => count >= maxAttempts).length,
      );
    },
  );

  it("gives up a message that ends the service each time", long, async ({ signal }) => {
    await using store = await openStore();
    await using target = await openHttpServer();
    let kills = 0;
    const { answer } = target;
    const targetSettings = { retry: { maxAttempts, minDelayMs: 10, maxDelayMs: 200 } };
    await using engage = await openEngage(store.folder, configOf(store, { target, targetSettings }));
    let restarting: Promise<void> = Promise.resolve();
    target.answer = (response, call) => {
      if (!call.body.includes('"poison"')) return answer(response, call);
      kills++;
      restarting = engage.kill().then(() => engage.start());
    };
    using sender = createSender(engage, { signal });
    await sender.sendUntilAcknowledged(
      batchOf(["a", "poison", ...Array.from({ length: 40 }, (_, i) => `b${i}`)], "r1"),
    );
    const isOver = async (): Promise<boolean> => {
      await restarting;
      const stats = await fetch(`http://127.0.0.1:${engage.port}/v1/webhook/stats`).then(
        (one) => one.json(),
        () => ({}),
      );
      const { targets = [] } = stats as { targets?: { dead?: string; pending?: string }[] };
      return targets.some(({ dead = "0", pending = "0" }) => dead === "1" && pending === "0");
    };
    await vi.waitUntil(isOver, { timeout: 180_000, interval: 300 });
    expect(kills).toBeGreaterThanOrEqual(maxAttempts);
    expect(kills).toBeLessThanOrEqual(maxAttempts + 1);
    expect(await settledBooks(engage)).toEqual({ accepted: 42, delivered: 41, dead: 1, pending: 0 });
  });
});
