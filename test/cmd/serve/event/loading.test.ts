import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { loadConfig } from "../../../../cmd/config/config.ts";
import { loadLimitsOf, openEventLoading } from "../../../../cmd/serve/event/loading.ts";
import type { LoadObserver } from "../../../../services/event/load/load.ts";
import { encodeSpoolLine } from "../../../../services/event/spool-line.ts";
import { folderWith } from "../../config/load.ts";
import { settingsOf } from "../../event-server.ts";

/** Node names it so, with `node-` from version 26 on. */
const mainThread = expect.stringMatching(/^(?:node-)?MainThread 0$/);
const script = join(import.meta.dirname, "event-threads.ts");

it.runIf(process.platform === "linux")("what loads has a lower priority than what takes records", () => {
  const engine = { memoryBytes: 268_435_456, niceness: 7 };
  const settings = settingsOf(folderWith({}), { events: { engine, spool: { minFreeBytes: 0 } } });
  const said = execFileSync(process.execPath, [script, folderWith({ "engage.yaml": settings })]);
  const threads = JSON.parse(said.toString()) as readonly string[];
  expect(threads).toEqual(
    expect.arrayContaining([mainThread, "engage-spool 0", "engage-load 7", "libuv-worker 7"]),
  );
});

const mib = 2 ** 20;

it.each([
  ["a full batch of 16 MiB", 16, undefined, 16, 2],
  ["a smaller full batch", 4, undefined, 4, 1],
  ["a full batch of less than 1 MiB", 0.5, undefined, 0.5, 0.5],
  ["larger batches of bulk loading", 16, 64, 64, 64],
  ["smaller batches of bulk loading", 16, 8, 16, 16],
] as const)("the limits of loading with %s", (_with, configuredMib, bulkMib, fullMib, burstMib) => {
  const batch = { maxRecords: 100, maxBytes: configuredMib * mib, maxDelayMs: 1_000 };
  const bulk = bulkMib && { maxRecords: 200, maxBytes: bulkMib * mib, maxCachedIds: 1 };
  expect(loadLimitsOf(batch, bulk)).toEqual({
    maxRecords: bulk?.maxRecords ?? 100,
    maxBytes: fullMib * mib,
    burstBytes: burstMib * mib,
    batchMs: 1_000,
  });
});

it("the end of a burst is loaded if it has a sixteenth of a part", async () => {
  const events = { batch: { maxDelayMs: 2_000_000 }, spool: { minFreeBytes: 0 } };
  const cwd = folderWith({ "engage.yaml": settingsOf(folderWith({}), { events }) });
  const loaded = vi.fn<LoadObserver["loaded"]>();
  await using loading = await openEventLoading(loadConfig({ env: {}, cwd }).config, {
    deadLetters: { append() {}, async flush() {} },
    observer: { loaded, failed() {}, overLimit() {} },
    torn() {},
    changed() {},
  });
  const append = (bytes: number) =>
    loading.append(encodeSpoolLine(1, Date.now(), Buffer.from(`[${" ".repeat(bytes)}]`)));
  const patience = { timeout: 20_000 };
  await append(0);
  await vi.waitFor(() => expect(loaded).toHaveBeenCalledTimes(1), patience);
  await append((2 * mib) / 16);
  await vi.waitFor(() => expect(loaded).toHaveBeenCalledTimes(2), patience);
});
