import { spawn } from "node:child_process";
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it, vi } from "vitest";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { type Engage, openEngage, serveCommand } from "../webhook/engage.ts";
import { createSender } from "../webhook/senders.ts";
import { ingestPath, type Report, reportOf, reportUntilTaken, totalOf } from "./reports.ts";
import { ask, eventsConfig, storedTotals } from "./service.ts";

it("doesn't start on a data folder that another process has, and says whose it is", async () => {
  await using folder = await openTempFolder();
  await using engage = await openEngage(folder.path, eventsConfig());
  using sender = createSender(engage);
  const first = reportOf(0);
  expect(await reportUntilTaken(sender, first)).toBe(true);
  const config = join(folder.path, "second.json");
  writeFileSync(config, JSON.stringify({ listen: "127.0.0.1:0", data: folder.path, ...eventsConfig() }));
  const [node = "", ...args] = serveCommand;
  const second = spawn(node, [...args, config], { env: {} });
  const code = new Promise((resolve) => second.once("close", resolve));
  const told = await text(second.stderr);
  expect(told).toContain(`data folder "${join(folder.path, "events")}" is in use by process ${engage.pid}`);
  expect(told).not.toContain("    at ");
  expect(await code).toBe(1);
  // The first one has not noticed.
  const next = reportOf(1);
  expect(await reportUntilTaken(sender, next)).toBe(true);
  expect(await storedTotals(engage)).toEqual(totalOf([first, next]));
});

const databaseOf = (folder: string) => join(folder, "events", "store", "events.duckdb");

const damages: readonly (readonly [name: string, damage: (file: string) => void])[] = [
  ["is no database", (file) => writeFileSync(file, "x".repeat(100_000))],
  ["is cut", (file) => truncateSync(file, statSync(file).size >> 1)],
  ["has other bytes in it", (file) => overwrite(file, 4_096, statSync(file).size - 4_096)],
  ["is empty, with the ledger beside it", (file) => truncateSync(file, 0)],
];

function overwrite(file: string, from: number, length: number): void {
  writeFileSync(file, readFileSync(file).fill(0xa5, from, from + length));
}

it.each(damages)("says so when the engine's file %s, takes nothing and stays up", async (_name, damage) => {
  await using folder = await openTempFolder();
  const reports = [reportOf(0), reportOf(1)];
  await using engage = await openEngage(folder.path, eventsConfig());
  using sender = createSender(engage);
  for (const report of reports) expect(await reportUntilTaken(sender, report)).toBe(true);
  expect(await storedTotals(engage)).toEqual(totalOf(reports));
  // An end in good order has moved the log to the file.
  await engage.kill("SIGTERM");
  const file = databaseOf(folder.path);
  const whole = readFileSync(file);
  damage(file);
  await engage.start();
  await expectAway(engage, sender, file);
  await engage.kill("SIGTERM");
  // The previous file and the spool still exist.
  for (const name of readdirSync(join(folder.path, "events", "store"))) expect(name).not.toMatch(/\.wal$/);
  writeFileSync(file, whole);
  await engage.start();
  expect(await storedTotals(engage)).toEqual(totalOf(reports));
});

/** A service that was killed with all that it has loaded in the engine's log; resolves to the log. */
async function killedWithLog(engage: Engage, folder: string, reports: readonly Report[]): Promise<string> {
  using sender = createSender(engage);
  for (const report of reports) expect(await reportUntilTaken(sender, report)).toBe(true);
  expect(await storedTotals(engage)).toEqual(totalOf(reports));
  await engage.kill();
  const log = `${databaseOf(folder)}.wal`;
  expect(statSync(log).size).toBeGreaterThan(10_000);
  expect(readdirSync(join(folder, "events", "spool")).length).toBeGreaterThan(2);
  return log;
}

/** Some files of the spool, of which all but the last are done with. */
const manyReports = Array.from({ length: 9 }, (_, batch) => reportOf(batch, { padding: 20_000 }));

const lostLogs: readonly (readonly [name: string, damage: (file: string) => void])[] = [
  ["is gone", (file) => rmSync(file)],
  ["is empty", (file) => truncateSync(file, 0)],
  ["is cut", (file) => truncateSync(file, statSync(file).size >> 1)],
  ["is something else", (file) => writeFileSync(file, "x".repeat(100_000))],
];

it.each(lostLogs)("loads again what the engine's log held when that %s", async (_name, damage) => {
  await using folder = await openTempFolder();
  await using engage = await openEngage(folder.path, eventsConfig());
  damage(await killedWithLog(engage, folder.path, manyReports));
  await engage.start();
  expect(await storedTotals(engage)).toEqual(totalOf(manyReports));
});

const damagedLogs: readonly (readonly [name: string, damage: (file: string) => void])[] = [
  ["in its middle", (file) => overwrite(file, statSync(file).size >> 1, 64)],
  ["at its beginning", (file) => overwrite(file, 40, 32)],
];

it.each(damagedLogs)(
  "says so when the engine's log is damaged %s, and what to do helps",
  async (_name, damage) => {
    await using folder = await openTempFolder();
    await using engage = await openEngage(folder.path, eventsConfig());
    using sender = createSender(engage);
    const log = await killedWithLog(engage, folder.path, manyReports);
    damage(log);
    await engage.start();
    await expectAway(engage, sender, `the log \\"${log}\\" of the events is damaged: move it away`);
    await engage.kill("SIGTERM");
    expect(existsSync(log)).toBe(true);
    renameSync(log, join(folder.path, "damaged"));
    await engage.start();
    expect(await storedTotals(engage)).toEqual(totalOf(manyReports));
  },
);

async function expectAway(
  engage: Engage,
  sender: ReturnType<typeof createSender>,
  words: string,
): Promise<void> {
  const answer = await sender.send(reportOf(2), ingestPath);
  expect(answer.status).toBe(503);
  expect(JSON.parse(answer.text)).toEqual({ code: -1, msg: "the event store is temporarily unavailable" });
  const events = [{ type: "normal", eventName: "play", analysis: "TOTAL_TIMES" }];
  expect(await ask(engage, "event-analyze", { events })).toEqual({
    return_code: -1006,
    return_message: "the events are temporarily unavailable",
  });
  await vi.waitFor(() => {
    const faults = engage.log.filter(({ msg }) => msg === "could not open the event store");
    expect(faults.length).toBeGreaterThan(0);
    expect(JSON.stringify(faults[0])).toContain(words);
  });
}
