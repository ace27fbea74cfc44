import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { ChannelStore } from "../../../store/channels/channels.ts";
import { openSqliteChannels } from "../../../store/channels/sqlite/open.ts";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { seeded } from "../webhook/batches.ts";
import type { Acknowledged } from "./store-writer.ts";

const writer = join(import.meta.dirname, "store-writer.ts");
const kills = 15;

/** Lets a process write to the store for this time, then kills it. Returns what was acknowledged. */
async function writeAndKill(path: string, forMs: number): Promise<readonly Acknowledged[]> {
  const child = spawn(process.execPath, [writer, path], { stdio: ["ignore", "pipe", "inherit"] });
  const said: Acknowledged[] = [];
  const opened = Promise.withResolvers<void>();
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    said.push(JSON.parse(line) as Acknowledged);
    opened.resolve();
  });
  const closed = once(lines, "close");
  await opened.promise;
  // The kill comes at a random moment, see the caller.
  await sleep(forMs);
  child.kill("SIGKILL");
  await closed;
  return said;
}

/** Returns the counts of a run, from its sums and from its batches. */
async function bookOf(store: ChannelStore, runId: string) {
  const [run, statistics, { items }] = await Promise.all([
    store.run(runId),
    store.statistics(runId),
    store.batches(runId, {}, { limit: 1_000 }),
  ]);
  const settled = items.filter(({ state }) => state === "succeeded");
  return { run: run!, statistics: statistics!, items, settled };
}

async function expectWhole(store: ChannelStore, runId: string) {
  const { run, statistics, items, settled } = await bookOf(store, runId);
  expect(items.map(({ number }) => number)).toEqual(items.map((_, i) => i));
  expect(run.batches).toBe(items.length);
  const sent = 2 * settled.length;
  expect(statistics).toMatchObject({
    planned: 2 * items.length,
    batched: 2 * items.length,
    batches: items.length,
    settledBatches: settled.length,
    sent,
    succeeded: sent,
    failed: [],
  });
  expect(statistics.segments.map((segment) => segment.succeeded)).toEqual(sent === 0 ? [] : [sent]);
  expect(run.state === "done").toBe(settled.length === 15);
  return { batches: items.length, settled: new Set(settled.map(({ number }) => number)) };
}

it(`keeps all that it has acknowledged over ${kills} kills, and its sums are those of its batches`, async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "channels.db");
  const random = seeded(20_260_417);
  const acknowledged: Acknowledged[] = [];
  for (let kill = 0; kill < kills; kill++) {
    acknowledged.push(...(await writeAndKill(path, 50 + random() * 400)));
  }
  await using store = await openSqliteChannels({ path, lockWaitMs: 10_000 });
  const runIds = new Set(acknowledged.flatMap((one) => ("runId" in one ? [one.runId] : [])));
  const books = new Map(
    await Promise.all([...runIds].map(async (runId) => [runId, await expectWhole(store, runId)] as const)),
  );
  const lost = acknowledged.filter(
    (one) =>
      (one.kind === "appended" && books.get(one.runId)!.batches < one.batches) ||
      (one.kind === "settled" && !books.get(one.runId)!.settled.has(one.number)),
  );
  expect(lost).toEqual([]);
  expect(runIds.size).toBeGreaterThan(kills);
  expect(acknowledged.filter(({ kind }) => kind === "settled").length).toBeGreaterThan(10 * kills);
});
