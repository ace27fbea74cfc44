import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { secret } from "../webhook/batches.ts";
import { openEngage } from "../webhook/engage.ts";
import { createSender } from "../webhook/senders.ts";
import { reportOf, reportUntilTaken, totalOf } from "./reports.ts";
import { eventsConfig, storedTotals } from "./service.ts";

const config = {
  ...eventsConfig(),
  webhook: {
    channels: { demo: { secrets: [{ value: secret }], targets: ["log"] } },
    targets: { log: { kind: "log" } },
    inbox: { minFreeBytes: 0 },
  },
};

/** Paths in the data folder that others may use, with their modes. */
function openToOthers(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return ["", ...names].flatMap((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return found === undefined || (found.mode & 0o077) === 0
      ? []
      : [`${name} ${(found.mode & 0o777).toString(8)}`];
  });
}

function withoutUmask(): void {
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
}

it("keeps all that is in the data folder to its user, whatever the umask", async () => {
  withoutUmask();
  await using folder = await openTempFolder();
  const data = join(folder.path, "data");
  await using engage = await openEngage(folder.path, { ...config, data });
  using sender = createSender(engage);
  const report = reportOf(0);
  expect(await reportUntilTaken(sender, report)).toBe(true);
  expect(await storedTotals(engage)).toEqual(totalOf([report]));
  expect(readdirSync(data)).toEqual(expect.arrayContaining(["events", "inbox", "marks"]));
  expect(openToOthers(data)).toEqual([]);
  await engage.kill("SIGTERM");
  expect(openToOthers(data)).toEqual([]);
});

it("takes what a version before has left open away from others", async () => {
  withoutUmask();
  await using folder = await openTempFolder();
  const data = join(folder.path, "data");
  await using engage = await openEngage(folder.path, { ...config, data });
  using sender = createSender(engage);
  const report = reportOf(0);
  expect(await reportUntilTaken(sender, report)).toBe(true);
  await engage.kill();
  for (const name of ["", ...readdirSync(data, { recursive: true, encoding: "utf8" })]) {
    chmodSync(join(data, name), statSync(join(data, name)).mode | 0o055);
  }
  expect(openToOthers(data)).not.toEqual([]);
  await engage.start();
  expect(await storedTotals(engage)).toEqual(totalOf([report]));
  expect(openToOthers(data)).toEqual([]);
});

it("leaves a folder that others use too as it is, but for its own part of it", async () => {
  withoutUmask();
  await using folder = await openTempFolder();
  const data = join(folder.path, "data");
  mkdirSync(join(data, "of-others"), { recursive: true, mode: 0o755 });
  await using engage = await openEngage(folder.path, { ...config, data });
  using sender = createSender(engage);
  expect(await reportUntilTaken(sender, reportOf(0))).toBe(true);
  expect(openToOthers(data)).toEqual([" 755", "of-others 755"]);
});
