import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { mountSmallDisk } from "../inbox/small-disk.ts";
import { openEngage } from "../webhook/engage.ts";
import { type Answer, createSender, type Sender } from "../webhook/senders.ts";
import { ingestPath, type Report, reportOf, reportUntilTaken, totalOf } from "./reports.ts";
import { eventsConfig, storedTotals } from "./service.ts";

const mib = 1_048_576;
/** Makes a body of 1.9 MB when it is inflated, and no two are the same text. */
const shape = { events: 1_000, padding: 1_800 };

const spool = (minFreeBytes: number) => ({ spool: { maxFileBytes: mib, minFreeBytes } });

/** Sends batches until one is not taken; resolves with those that were, and the refusal. */
async function sendUntilRefused(sender: Sender, from: number): Promise<{ taken: Report[]; refusal: Answer }> {
  const taken: Report[] = [];
  for (;;) {
    const report = reportOf(from + taken.length, shape);
    const refusal = await sender.send(report, ingestPath);
    if (refusal.status !== 200) return { taken, refusal };
    taken.push(report);
  }
}

function expectUnavailable({ status, text, headers }: Answer): void {
  expect(status).toBe(503);
  expect(JSON.parse(text)).toEqual({ code: -1, msg: "the spool is temporarily unavailable" });
  expect(headers["retry-after"]).toMatch(/^\d+$/);
}

it("keeps its mark of free space, stores what it took, and goes on when there is room", async () => {
  using disk = mountSmallDisk(96 * mib);
  await using engage = await openEngage(disk.path, eventsConfig(spool(32 * mib)));
  using sender = createSender(engage);
  const { taken, refusal } = await sendUntilRefused(sender, 0);
  expectUnavailable(refusal);
  expect(taken.length).toBeGreaterThan(5);
  expect(await storedTotals(engage)).toEqual(totalOf(taken));
  execFileSync("mount", ["-o", `remount,size=${192 * mib}`, disk.path]);
  const next = reportOf(taken.length, shape);
  expect(await reportUntilTaken(sender, next)).toBe(true);
  expect(await storedTotals(engage)).toEqual(totalOf([...taken, next]));
});

it("has stored what it took when another program has filled the disk, also after a kill", async () => {
  using disk = mountSmallDisk(128 * mib);
  await using engage = await openEngage(disk.path, eventsConfig(spool(0)));
  using sender = createSender(engage);
  const before = Array.from({ length: 10 }, (_, batch) => reportOf(batch, shape));
  for (const report of before) expect(await reportUntilTaken(sender, report)).toBe(true);
  disk.fill();
  const { taken, refusal } = await sendUntilRefused(sender, before.length);
  expectUnavailable(refusal);
  await engage.kill();
  // It starts on the full disk too.
  await engage.start();
  disk.free();
  const next = reportOf(before.length + taken.length, shape);
  expect(await reportUntilTaken(sender, next)).toBe(true);
  expect(await storedTotals(engage)).toEqual(totalOf([...before, ...taken, next]));
});

it("answers 503 while it can't write, and goes on when it can again", async () => {
  await using folder = await openTempFolder();
  const entry = join(import.meta.dirname, "../webhook/limited-serve.ts");
  const command = [process.execPath, entry, "--config"];
  await using engage = await openEngage(folder.path, eventsConfig(), { command });
  using sender = createSender(engage);
  const limit = (bytes: string): void => {
    execFileSync("prlimit", ["--pid", `${engage.pid}`, `--fsize=${bytes}:unlimited`]);
  };
  const first = reportOf(0);
  expect(await reportUntilTaken(sender, first)).toBe(true);
  expect(await storedTotals(engage)).toEqual(totalOf([first]));
  limit("4096");
  for (let batch = 1; batch <= 20; batch++) expectUnavailable(await sender.send(reportOf(batch), ingestPath));
  limit("unlimited");
  const next = reportOf(1);
  await vi.waitFor(async () => expect((await sender.send(next, ingestPath)).status).toBe(200));
  expect(await storedTotals(engage)).toEqual(totalOf([first, next]));
});
