import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { openEngage } from "../webhook/engage.ts";
import { createSender } from "../webhook/senders.ts";
import { reportOf, reportUntilTaken, totalOf } from "./reports.ts";
import { eventsConfig, storedTotals } from "./service.ts";

const reports = Array.from({ length: 10 }, (_, batch) => reportOf(batch));
/** After the first batch, which goes at once, nothing is loaded for an hour. */
const waitsLong = eventsConfig({ batch: { maxDelayMs: 3_600_000 } });

/** A service that was killed with ten reports in its spool; resolves with the last file of it. */
async function killedWith(folder: string, config: object): Promise<string> {
  await using engage = await openEngage(folder, config);
  using sender = createSender(engage);
  for (const report of reports) expect(await reportUntilTaken(sender, report)).toBe(true);
  await engage.kill();
  const spool = join(folder, "events", "spool");
  return join(spool, readdirSync(spool).toSorted().at(-1)!);
}

const tornLine = (file: string, bytes: number) => ({
  level: "warn",
  file,
  bytes,
  msg: expect.stringContaining("incomplete record"),
});

it("cuts off a line that has no end, says so, and loses nothing else", async () => {
  await using folder = await openTempFolder();
  const file = await killedWith(folder.path, waitsLong);
  const [line = ""] = readFileSync(file, "utf8").split("\n");
  const half = line.slice(0, line.length >> 1);
  appendFileSync(file, half);
  await using engage = await openEngage(folder.path, eventsConfig());
  expect(await storedTotals(engage)).toEqual(totalOf(reports));
  expect(engage.log).toContainEqual(expect.objectContaining(tornLine(file, half.length)));
  using sender = createSender(engage);
  const next = reportOf(reports.length);
  expect(await reportUntilTaken(sender, next)).toBe(true);
  expect(await storedTotals(engage)).toEqual(totalOf([...reports, next]));
});

it("continues after a file that was cut before the loaded position", async () => {
  await using folder = await openTempFolder();
  const file = await (async () => {
    await using engage = await openEngage(folder.path, eventsConfig());
    using sender = createSender(engage);
    for (const report of reports) expect(await reportUntilTaken(sender, report)).toBe(true);
    expect(await storedTotals(engage)).toEqual(totalOf(reports));
    await engage.kill();
    return join(folder.path, "events", "spool", "000000000001.ndjson");
  })();
  truncateSync(file, statSync(file).size >> 1);
  await using engage = await openEngage(folder.path, eventsConfig());
  using sender = createSender(engage);
  const next = reportOf(reports.length);
  expect(await reportUntilTaken(sender, next)).toBe(true);
  expect(await storedTotals(engage)).toEqual(totalOf([...reports, next]));
});
