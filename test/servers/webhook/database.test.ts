import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { openHttpServer } from "../../services/webhook/targets/http-server.ts";
import { arrivalsAt } from "./arrivals.ts";
import { batchesOf, seeded } from "./batches.ts";
import { settledBooks } from "./books.ts";
import { configOf } from "./config.ts";
import { openEngage } from "./engage.ts";
import { createSender } from "./senders.ts";
import { openPostgresStore } from "./stores.ts";

const long = { timeout: 300_000 };

it("recovers by itself from 5 kills of PostgreSQL, and loses nothing", long, async ({ signal }) => {
  const messages = 5_000;
  const kills = 5;
  const concurrency = 8;
  await using store = await openPostgresStore();
  await using target = await openHttpServer();
  const arrivals = arrivalsAt(target);
  await using engage = await openEngage(store.folder, configOf(store, { target, concurrency }));
  using sender = createSender(engage, { signal });
  const { pid } = engage;
  const random = seeded(20_260_103);
  const batches = batchesOf(messages, random);
  const share = Math.ceil(batches.length / kills);
  const sent: Promise<unknown>[] = [];
  for (let kill = 0; kill < kills; kill++) {
    sent.push(
      ...batches.slice(kill * share, (kill + 1) * share).map((batch) => sender.sendUntilAcknowledged(batch)),
    );
    // The kill comes at a random moment, while the batches are sent.
    await sleep(random() * 60);
    await store.server.kill();
    await store.server.start();
  }
  await Promise.all(sent);
  const books = { accepted: messages, delivered: messages, dead: 0, pending: 0 };
  expect(await settledBooks(engage)).toEqual(books);
  expect(arrivals.size).toBe(messages);
  expect(target.calls.length - messages).toBeLessThanOrEqual(kills * (concurrency + 100));
  expect(engage.pid).toBe(pid);
  expect([...sender.statuses.keys()].toSorted()).toEqual([200, 503]);
});

it("starts while PostgreSQL is unavailable, and waits for it", long, async ({ signal }) => {
  await using store = await openPostgresStore();
  await using target = await openHttpServer();
  await store.server.kill();
  await using engage = await openEngage(store.folder, configOf(store, { target }));
  using sender = createSender(engage, { signal });
  const [batch] = batchesOf(20, seeded(20_261_129));
  expect(await sender.send(batch!)).toMatchObject({ status: 503 });
  expect((await fetch(`http://127.0.0.1:${engage.port}/readyz`)).status).toBe(503);
  expect((await fetch(`http://127.0.0.1:${engage.port}/healthz`)).status).toBe(200);
  expect(engage.log.map(({ msg }) => msg)).toContain("waiting for the inbox, no batches are accepted");
  await store.server.start();
  await sender.sendUntilAcknowledged(batch!);
  expect(await settledBooks(engage)).toMatchObject({ accepted: 20, delivered: 20 });
  const isReady = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${engage.port}/readyz`)).ok;
  await vi.waitUntil(isReady, { timeout: 30_000 });
  await vi.waitUntil(() => engage.log.some(({ msg }) => msg === "the inbox is available now"), {
    timeout: 30_000,
  });
});

it("returns 503 in flat memory while PostgreSQL is down, and then continues", long, async (test) => {
  const refused = 14_000;
  await using store = await openPostgresStore();
  await using target = await openHttpServer();
  const arrivals = arrivalsAt(target);
  await using engage = await openEngage(store.folder, configOf(store, { target }));
  using sender = createSender(engage, test);
  const [first, ...rest] = batchesOf(10_000, seeded(20_260_104));
  await sender.sendUntilAcknowledged(first!);
  await store.server.kill();
  // Eight senders repeat their batches until enough have been refused.
  const send = async (): Promise<void> => {
    for (let next = 0; (sender.statuses.get(503) ?? 0) < refused; next++) {
      const answer = await sender.send(rest[next % rest.length]!);
      expect(answer).toMatchObject({
        status: 503,
        headers: { "retry-after": expect.stringMatching(/^\d+$/) },
      });
      expect(JSON.parse(answer.text)).toMatchObject({ return_code: 1 });
    }
  };
  const sending = Promise.all(Array.from({ length: 8 }, send));
  await vi.waitUntil(() => (sender.statuses.get(503) ?? 0) >= refused / 2, { timeout: 120_000 });
  const early = residentKib(engage.pid);
  await sending;
  // V8 lets its spaces grow for a while. Bodies that were kept, 18 KB each, would be 124,000.
  expect(residentKib(engage.pid) - early).toBeLessThan(98_304);
  expect((await fetch(`http://127.0.0.1:${engage.port}/readyz`)).status).toBe(503);
  expect((await fetch(`http://127.0.0.1:${engage.port}/healthz`)).status).toBe(200);
  await store.server.start();
  await Promise.all(rest.map((batch) => sender.sendUntilAcknowledged(batch)));
  expect(await settledBooks(engage)).toMatchObject({ accepted: 10_000, delivered: 10_000, dead: 0 });
  expect(arrivals.size).toBe(10_000);
});

function residentKib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
