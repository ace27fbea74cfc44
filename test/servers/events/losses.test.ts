import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { packageRoot } from "../../../base/package/root.ts";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { type Engage, openEngage } from "../webhook/engage.ts";
import { createSender } from "../webhook/senders.ts";
import { ingestPath, type Report, reportOf, reportUntilTaken, totalOf } from "./reports.ts";
import { ask, eventsConfig, storedTotals } from "./service.ts";

const batch = { maxDelayMs: 3_600_000 };
/** After the first batch, which goes at once, nothing is loaded for an hour. */
const waitsLong = eventsConfig({ batch });
const reports = Array.from({ length: 6 }, (_, number) => reportOf(number));
const larger = Array.from({ length: 9 }, (_, number) => reportOf(number, { padding: 20_000 }));

async function readiness({ port }: Engage): Promise<readonly [status: number, text: string]> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  return [response.status, await response.text()];
}

function engageStore(folder: string, ...args: readonly string[]): string {
  const command = [
    join(packageRoot, "cmd/engage.ts"),
    "store",
    ...args,
    "--config",
    join(folder, "engage.json"),
  ];
  return execFileSync(process.execPath, command, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

async function send(engage: Engage, sent: readonly Report[]): Promise<void> {
  using sender = createSender(engage);
  for (const report of sent) expect(await reportUntilTaken(sender, report)).toBe(true);
}

const spoolOf = (folder: string): string => join(folder, "events", "spool");
const lastFile = (folder: string): string =>
  join(spoolOf(folder), readdirSync(spoolOf(folder)).toSorted().at(-1)!);

const patient = { timeout: 60_000, interval: 100 };

/** It says what is missing, takes nothing, and stays as it is until that is accepted. */
async function expectLoss(engage: Engage, words: RegExp): Promise<void> {
  await vi.waitFor(async () => {
    const faults = engage.log.filter(({ msg }) => msg === "could not open the event store");
    expect(JSON.stringify(faults.map(({ err }) => (err as Error).message))).toMatch(words);
  }, patient);
  expect(await readiness(engage)).toEqual([503, expect.stringContaining("accepts no records")]);
  using sender = createSender(engage);
  expect((await sender.send(reportOf(99), ingestPath)).status).toBe(503);
  await engage.kill("SIGTERM");
}

/** Cuts at the end of a line, where no crash would. */
function cutLines(file: string, lines: number): void {
  const text = readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1 - lines);
  truncateSync(file, Buffer.byteLength(`${text.join("\n")}\n`));
}

const losses: readonly (readonly [what: string, lose: (folder: string) => void, words: RegExp])[] = [
  [
    "the spool is deleted",
    (folder) => rmSync(spoolOf(folder), { recursive: true }),
    /spool file .*000000000001\.ndjson.* with 6 lines is missing, bytes \d+ to \d+/,
  ],
  [
    "two lines are cut off its end",
    (folder) => cutLines(lastFile(folder), 2),
    /ends at byte \d+, and was written to byte \d+/,
  ],
  [
    "its end is cut within a line",
    (folder) => truncateSync(lastFile(folder), readFileSync(lastFile(folder)).length - 10),
    /ends at byte \d+, and was written to byte \d+/,
  ],
  [
    "it is emptied",
    (folder) => truncateSync(lastFile(folder), 0),
    /ends at byte \d+, and was written to byte \d+/,
  ],
];

it.each(losses)(
  "says so when %s before it is loaded, and goes on when that is accepted",
  async (_what, lose, words) => {
    await using folder = await openTempFolder();
    await using engage = await openEngage(folder.path, waitsLong);
    await send(engage, reports);
    await engage.kill();
    lose(folder.path);
    await engage.start();
    await expectLoss(engage, words);
    expect(engageStore(folder.path, "accept-loss", "events")).toMatch(words);
    expect(engageStore(folder.path, "accept-loss", "events")).toMatch(
      /no data of events is known to be missing/,
    );
    await using again = await openEngage(folder.path, eventsConfig());
    const before = await storedTotals(again);
    expect(before.events).toBeLessThan(totalOf(reports).events);
    const next = reportOf(50);
    await send(again, [next]);
    const after = await storedTotals(again);
    expect(after.events - before.events).toBe(next.events);
    expect(await readiness(again)).toEqual([200, expect.any(String)]);
  },
);

it("says so when the store is deleted, of which files of the spool were deleted as loaded", async () => {
  await using folder = await openTempFolder();
  await using engage = await openEngage(folder.path, eventsConfig());
  await send(engage, larger);
  expect(await storedTotals(engage)).toEqual(totalOf(larger));
  // The end in good order settles them; the next load deletes their files.
  await engage.kill("SIGTERM");
  await engage.start();
  await send(engage, [reportOf(50)]);
  await storedTotals(engage);
  await engage.kill("SIGTERM");
  rmSync(join(folder.path, "events", "store"), { recursive: true });
  await engage.start();
  await expectLoss(engage, /has no events, while those of the files up to \d+ had been loaded/);
  expect(engageStore(folder.path, "accept-loss", "events")).toMatch(/has no events/);
  await engage.start();
  const next = reportOf(51);
  await send(engage, [next]);
  expect((await storedTotals(engage)).events).toBeGreaterThanOrEqual(next.events);
});

it("loads again from the spool what a deleted store had, when all of it is there", async () => {
  await using folder = await openTempFolder();
  await using engage = await openEngage(folder.path, eventsConfig());
  await send(engage, reports);
  expect(await storedTotals(engage)).toEqual(totalOf(reports));
  await engage.kill("SIGTERM");
  rmSync(join(folder.path, "events", "store"), { recursive: true });
  await engage.start();
  expect(await storedTotals(engage)).toEqual(totalOf(reports));
});

it("starts with a data folder of a version without marks", async () => {
  await using folder = await openTempFolder();
  await using engage = await openEngage(folder.path, waitsLong);
  await send(engage, reports);
  await engage.kill();
  rmSync(join(folder.path, "marks"), { recursive: true });
  const file = lastFile(folder.path);
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(/,"#crc":"[0-9a-f]{8}"\}/g, "}"));
  await engage.kill();
  rmSync(join(folder.path, "events", "intake.db"), { force: true });
  rmSync(join(folder.path, "events", "store"), { recursive: true, force: true });
  mkdirSync(join(folder.path, "events", "store"));
  await engage.start();
  await engage.kill();
  await using again = await openEngage(folder.path, eventsConfig());
  expect(await storedTotals(again)).toEqual(totalOf(reports));
});

const lostIntakes: readonly (readonly [what: string, lose: (file: string) => void])[] = [
  ["is gone", (file) => rmSync(file)],
  ["is damaged", (file) => writeFileSync(file, "x".repeat(50_000))],
];

it.each(lostIntakes)(
  "loads nothing and says so when the intake %s, until it is made again",
  async (_what, lose) => {
    await using folder = await openTempFolder();
    await using engage = await openEngage(folder.path, eventsConfig());
    await send(engage, reports);
    expect(await storedTotals(engage)).toEqual(totalOf(reports));
    await engage.kill("SIGTERM");
    lose(join(folder.path, "events", "intake.db"));
    await engage.start();
    const further = [reportOf(50), reportOf(51)];
    await send(engage, further);
    await vi.waitFor(async () => {
      expect(await readiness(engage)).toEqual([
        503,
        expect.stringContaining("records are accepted but not loaded"),
      ]);
    }, 60_000);
    await vi.waitFor(
      () => expect(JSON.stringify(engage.log)).toContain("engage store rebuild-intake"),
      20_000,
    );
    await engage.kill("SIGTERM");
    expect(engageStore(folder.path, "rebuild-intake")).toMatch(
      /^intake rebuilt: 50 accounts, 0 visitors, uuids of 132 records$/m,
    );
    await engage.start();
    // Records that are sent again are recognized by their uuids.
    await send(engage, reports);
    expect(await storedTotals(engage)).toEqual(totalOf([...reports, ...further]));
    expect(await readiness(engage)).toEqual([200, expect.any(String)]);
  },
);

it("warns in answers of records that wait for longer than is set", async () => {
  await using folder = await openTempFolder();
  const lag = { warnMs: 1, standstillMs: 3_600_000 };
  const config = eventsConfig({ lag, batch: { maxDelayMs: 1 } });
  await using engage = await openEngage(folder.path, config);
  await send(engage, reports);
  expect(await storedTotals(engage)).toEqual(totalOf(reports));
  await engage.kill("SIGTERM");
  rmSync(join(folder.path, "events", "intake.db"));
  await engage.start();
  await send(engage, [reportOf(50)]);
  const events = [{ type: "normal", eventName: "play", analysis: "TOTAL_TIMES" }];
  const late = /records acknowledged more than \d+ s ago are not loaded yet/;
  await vi.waitFor(async () => {
    const { data } = await ask(engage, "event-analyze", { events, useCache: true });
    expect(JSON.stringify(data.warnings)).toMatch(late);
  }, 60_000);
  const slice = {
    events: [{ type: "normal", eventName: "anyEvent", analysis: "TRIG_USER_NUM" }],
    sliceGroupVal: [],
    eventIndex: 0,
  };
  const { data: users } = await ask(engage, "event-user-list", slice);
  expect(JSON.stringify(users.warnings)).toMatch(late);
});
