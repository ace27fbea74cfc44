import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { migrate } from "../../../store/channels/postgres/open.ts";
import { mostInSecond } from "../../base/async/most-within.ts";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";
import { type Engage, openEngage } from "../webhook/engage.ts";
import { endedPush, expectOnce, pushConfig, startPush } from "./push.ts";
import { answerAfter, openReceiver } from "./receiver.ts";

let server: PostgresServer;
let folder: Awaited<ReturnType<typeof openTempFolder>>;
let schemas = 0;

beforeAll(async () => {
  [server, folder] = await Promise.all([openPostgresServer(), openTempFolder()]);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** Two services on one database, each with a data folder of its own. */
async function openReplicas(concurrency: number): Promise<readonly [Engage, Engage]> {
  const schema = `channels_${++schemas}`;
  await migrate(server, schema);
  const store = { driver: "postgres", url: server.url, schema };
  const open = async (name: string): Promise<Engage> => {
    const own = join(folder.path, `${schema}_${name}`);
    mkdirSync(own);
    return await openEngage(own, pushConfig({ concurrency, store }));
  };
  return await Promise.all([open("first"), open("second")]);
}

/** Requests that a replica has sent. */
async function sentBy({ port }: Engage): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const found = text.matchAll(/^engage_channel_requests_total\{.*outcome="succeeded".*\} (\S+)$/gm);
  return [...found].reduce((sum, [, count]) => sum + Number(count), 0);
}

it("share one task: everybody once, and the rate of the channel over both", async () => {
  const recipients = 500;
  const rateLimit = 50;
  await using receiver = await openReceiver();
  const [first, second] = await openReplicas(8);
  await using _both = {
    [Symbol.asyncDispose]: () => Promise.all([first, second].map((one) => one.kill())).then(() => {}),
  };
  const delivery = { batchSize: 1, rateLimit };
  const taskId = await startPush(first, { receiver, recipients, delivery });
  const { counts } = await endedPush(second, taskId);
  expectOnce(receiver, recipients);
  expect(counts).toMatchObject({ sent: recipients, succeeded: recipients, settledBatches: recipients });
  expect([...receiver.books.values()].every(({ attempts }) => attempts === 1)).toBe(true);
  expect(mostInSecond(receiver.times)).toBeLessThanOrEqual(rateLimit);
  const shares = await Promise.all([sentBy(first), sentBy(second)]);
  expect(shares[0]! + shares[1]!).toBe(recipients);
  expect(Math.min(...shares)).toBeGreaterThan(0);
});

it("reach everybody once when one of them is killed again and again", async () => {
  const recipients = 20_000;
  await using receiver = await openReceiver();
  receiver.answer = answerAfter(200);
  const [first, second] = await openReplicas(4);
  await using _both = {
    [Symbol.asyncDispose]: () => Promise.all([first, second].map((one) => one.kill())).then(() => {}),
  };
  const taskId = await startPush(first, { receiver, recipients, delivery: { batchSize: 20 } });
  for (let kill = 0; kill < 6; kill++) {
    const before = receiver.books.size;
    await vi.waitUntil(() => receiver.books.size >= before + 40, { timeout: 20_000, interval: 5 });
    const killed = [first, second][kill % 2]!;
    await killed.kill();
    await killed.start();
  }
  // The other replica takes over the killed one's batches when their leases have ended.
  const { counts, failed } = await endedPush(second, taskId);
  expectOnce(receiver, recipients);
  expect(counts).toMatchObject({ sent: recipients, succeeded: recipients, settledBatches: 1_000 });
  expect(failed).toEqual({});
  const attempts = [...receiver.books.values()].reduce((sum, book) => sum + book.attempts, 0);
  expect(attempts).toBeGreaterThan(1_000);
});
