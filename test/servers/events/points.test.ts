import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { openEngage, serveCommand } from "../webhook/engage.ts";
import { createSender } from "../webhook/senders.ts";
import { reportOf, reportUntilTaken, totalOf } from "./reports.ts";
import { eventsConfig, storedTotals } from "./service.ts";

const hooks = join(import.meta.dirname, "kill-point.ts");
/** Each is met by one of these: a file of the spool holds about 30 reports. */
const shape = { padding: 1_900 };
const reports = Array.from({ length: 90 }, (_, batch) => reportOf(batch, shape));
const atOnce = 4;
const passes = 4;

/** With how often it is passed before: what happens seldom is met the first time. */
const points = Array.from(
  readFileSync(hooks, "utf8").matchAll(/^ {2}"([^"]+)"/gm),
  ([, point = ""]) => [point, point.includes("spool") ? 0 : passes] as const,
);

/** Starts node with these hooks in each thread. */
function commandWith(point: string, passes: number): readonly string[] {
  const [node = "", ...args] = serveCommand;
  const url = pathToFileURL(hooks);
  url.search = String(new URLSearchParams({ point, passes: String(passes) }));
  return [node, "--import", url.href, ...args];
}

it("knows its points", () => expect(points).toHaveLength(12));

it.each(points)("killed when %s, stores each record once", async (point, passed) => {
  await using folder = await openTempFolder();
  const command = commandWith(point, passed);
  await using engage = await openEngage(folder.path, eventsConfig(), { command });
  using sender = createSender(engage);
  const waiting = [...reports];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      expect(await reportUntilTaken(sender, next)).toBe(true);
  };
  const sent = Promise.all(Array.from({ length: atOnce }, work));
  await engage.ended();
  expect(sender.statuses.get(200)).toBeGreaterThan(0);
  await engage.start({ command: serveCommand });
  await sent;
  expect(await storedTotals(engage)).toEqual(totalOf(reports));
  // Records that were being sent at the kill are distinguished from repeats.
  const torn = engage.log.filter(({ msg }) => msg.includes("incomplete record"));
  expect(torn).toHaveLength(point === "a line is written by half" ? 1 : 0);
});
