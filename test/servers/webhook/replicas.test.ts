import { mkdirSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { openHttpServer } from "../../services/webhook/targets/http-server.ts";
import { batchOf } from "./batches.ts";
import { readBooks, settledBooks } from "./books.ts";
import { configOf } from "./config.ts";
import { type Engage, openEngage } from "./engage.ts";
import { createSender } from "./senders.ts";
import { openPostgresStore, type Store } from "./stores.ts";

/** Starts a replica with a data folder of its own. */
async function openReplica(store: Store, name: string, config: object): Promise<Engage> {
  const folder = join(store.folder, name);
  mkdirSync(folder);
  return await openEngage(folder, config);
}

async function metricOf({ port }: Engage, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{.*\\} (\\S+)$`, "m").exec(text)?.[1]);
}

it("handle a batch sent to both 100 times at once one time, with 100 identical replies", async () => {
  await using store = await openPostgresStore();
  await using target = await openHttpServer();
  const config = configOf(store, { target });
  await using first = await openReplica(store, "first", config);
  await using second = await openReplica(store, "second", config);
  using a = createSender(first, { connections: 50 });
  using b = createSender(second, { connections: 50 });
  const batch = batchOf(["user-1", "user-2", ""], "request-1");
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? a : b).send(batch)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(JSON.parse(answers[0]!.text)).toMatchObject({ data: { fail_list: [{ index: 3 }] } });
  expect(await settledBooks(first)).toEqual({ accepted: 2, delivered: 2, dead: 0, pending: 0 });
  expect(target.calls).toHaveLength(2);
});

it("take over from one that stands still, and refuse what it settles later", async () => {
  await using store = await openPostgresStore();
  await using target = await openHttpServer();
  const held: ServerResponse[] = [];
  const { answer } = target;
  target.answer = (response) => void held.push(response);
  const config = configOf(store, { target, targetSettings: { timeoutMs: 600_000 } });
  await using first = await openReplica(store, "first", config);
  using sender = createSender(first);
  expect((await sender.send(batchOf(["user-1"], "request-1"))).status).toBe(200);
  await vi.waitUntil(() => held.length === 1);
  first.signal("SIGSTOP");
  target.answer = answer;
  await using second = await openReplica(store, "second", config);
  // It gets the message when the first's lease has ended.
  const books = { accepted: 1, delivered: 1, dead: 0, pending: 0 };
  expect(await settledBooks(second)).toEqual(books);
  expect(target.calls).toHaveLength(2);
  // The first wakes up with the target's good answer, and must not settle.
  held[0]!.end("ok");
  first.signal("SIGCONT");
  await vi.waitFor(async () => expect(await metricOf(first, "engage_webhook_lost_leases_total")).toBe(1), {
    timeout: 30_000,
    interval: 50,
  });
  await vi.waitUntil(() =>
    first.log.some(({ msg }) => msg === "lease expired, another process delivers the messages"),
  );
  expect(await readBooks(first)).toEqual(books);
  expect(target.calls).toHaveLength(2);
});
