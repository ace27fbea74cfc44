import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTempFolder, type TempFolder } from "../../store/inbox/temp-folder.ts";
import { reportOf, reportUntilTaken, totalOf } from "../events/reports.ts";
import { ask, eventsConfig, storedTotals } from "../events/service.ts";
import { batchOf, secret } from "../webhook/batches.ts";
import { type Engage, openEngage } from "../webhook/engage.ts";
import { createSender } from "../webhook/senders.ts";

// Damages each file of a data folder in several ways. The service may then refuse to start, not be ready, or say in an
// answer or in its log what is wrong. It must not go on with less than it has acknowledged without a word. The suite
// takes half of all files for each kind of damage; with DAMAGE_WALK=all it takes all.

const config = {
  ...eventsConfig(),
  webhook: {
    channels: { demo: { secrets: [{ value: secret }], targets: ["queue"] } },
    targets: { queue: { kind: "pull" } },
    inbox: { minFreeBytes: 0 },
  },
  channel: { outbound: { allow: ["127.0.0.1/32"] } },
};
const reports = Array.from({ length: 6 }, (_, batch) => reportOf(batch));
const pushIds = Array.from({ length: 40 }, (_, at) => `p${at}`);
const channels = ["mail", "sms"];
const expected = { totals: totalOf(reports), pushIds: pushIds.toSorted(), channels };

let template: TempFolder;
const dataOf = (folder: string): string => join(folder, "data");

/** A service that was killed after it had loaded some records, and acknowledged others and messages. */
beforeAll(async () => {
  template = await openTempFolder();
  const data = dataOf(template.path);
  await using engage = await openEngage(template.path, { ...config, data });
  using sender = createSender(engage);
  for (const report of reports.slice(0, 3)) expect(await reportUntilTaken(sender, report)).toBe(true);
  await storedTotals(engage);
  for (let from = 0; from < pushIds.length; from += 10)
    await sender.sendUntilAcknowledged(batchOf(pushIds.slice(from, from + 10), `request-${from}`));
  for (const name of channels) await createChannel(engage, name);
  for (const report of reports.slice(3)) expect(await reportUntilTaken(sender, report)).toBe(true);
  await engage.kill();
});

async function createChannel({ port }: Engage, name: string): Promise<void> {
  const contentTemplate = [{ name: "title", inputMethod: "INPUT_METHOD_DYNAMIC_TEXT" }];
  const authentication = { secret: "a-secret-of-this-channel" };
  const settings = { projectId: 1, url: "http://127.0.0.1:1/", pushIdProperty: "#account_id" };
  const response = await fetch(`http://127.0.0.1:${port}/v1/channels`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, authentication, contentTemplate, ...settings }),
  });
  expect(await response.json()).toMatchObject({ channel: { name } });
}

afterAll(() => template[Symbol.asyncDispose]());

const damages: Readonly<Record<string, (file: string, bytes: Buffer) => void>> = {
  "is gone": (file) => rmSync(file),
  "is cut to a half": (file, { length }) => truncateSync(file, length >> 1),
  "has another bit in its middle": (file, bytes) => {
    if (bytes.length > 0) bytes[bytes.length >> 1]! ^= 0x04;
    writeFileSync(file, bytes);
  },
  "has other bytes in its second half": (file, bytes) =>
    writeFileSync(file, bytes.fill(0xa5, bytes.length >> 1)),
};

/** Copies that are damaged and started at a time. */
const atOnce = 3;

const kinds = Object.keys(damages);

it.each(kinds)("says so where a file that %s is missed", async (name) => {
  const isAll = process.env["DAMAGE_WALK"] === "all";
  const all = filesOf(dataOf(template.path));
  const files = all.filter((_file, at) => isAll || (at + kinds.indexOf(name)) % 2 === 0);
  const silent: string[] = [];
  const work = async () => {
    for (let file = files.shift(); file !== undefined; file = files.shift()) {
      const fault = await faultAfter(file, damages[name]!);
      if (fault !== undefined) silent.push(`${file}: ${fault}`);
    }
  };
  expect(all.length).toBeGreaterThan(15);
  await Promise.all(Array.from({ length: atOnce }, work));
  expect(silent).toEqual([]);
});

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/**
 * Returns what a service does without a word on a copy in which this file is damaged; undefined if it does nothing
 * such.
 */
async function faultAfter(
  file: string,
  damage: (file: string, bytes: Buffer) => void,
): Promise<string | undefined> {
  await using copy = await openTempFolder();
  const data = dataOf(copy.path);
  cpSync(dataOf(template.path), data, { recursive: true });
  damage(join(data, file), readFileSync(join(data, file)));
  const told = join(copy.path, "stderr");
  const stderr = openSync(told, "w");
  try {
    await using engage = await openEngage(
      copy.path,
      { ...config, data },
      { stdio: ["ignore", "pipe", stderr] },
    );
    const seen = await observe(engage);
    if (seen === undefined || (await isTold(engage))) return undefined;
    if (JSON.stringify(seen) === JSON.stringify(expected)) return undefined;
    // Lines of the log are written some at a time; a stop writes the last ones.
    await engage.kill("SIGTERM");
    return isLogged(engage) ? undefined : JSON.stringify(seen);
  } catch (error) {
    const message = readFileSync(told, "utf8");
    return message.includes(copy.path) && !message.includes("    at ") ? undefined : `${error} ${message}`;
  } finally {
    closeSync(stderr);
  }
}

/** Returns what the service has; undefined if it answers that it can't tell. */
async function observe(engage: Engage): Promise<typeof expected | undefined> {
  const events = [{ type: "normal", eventName: "play", analysis: "TOTAL_TIMES" }];
  const answer = await ask(engage, "event-analyze", { events });
  if (answer.return_code !== 0) return undefined;
  // What was acknowledged is loaded, unless the service is not ready.
  while (!(await isLoaded(engage))) {
    if (await isTold(engage)) return undefined;
    await sleep(50);
  }
  const totals = await storedTotals(engage);
  const leased = await fetch(`http://127.0.0.1:${engage.port}/v1/webhook/messages:lease`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"target":"queue","maxMessages":500}',
  });
  if (!leased.ok) return undefined;
  const { batches = [] } = (await leased.json()) as {
    batches?: { batch: { messages: { pushId: string }[] } }[];
  };
  const ids = batches.flatMap(({ batch }) => batch.messages.map(({ pushId }) => pushId));
  const listed = await fetch(`http://127.0.0.1:${engage.port}/v1/channels`);
  if (!listed.ok) return undefined;
  const { channels: found = [] } = (await listed.json()) as { channels?: { name: string }[] };
  return { totals, pushIds: ids.toSorted(), channels: found.map(({ name }) => name).toSorted() };
}

async function isLoaded({ port }: Engage): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  return /^engage_events_lag_bytes 0$/m.test(await response.text());
}

/** Reports whether the service says that something is wrong. */
async function isTold(engage: Engage): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${engage.port}/readyz`);
  return response.status !== 200 || isLogged(engage);
}

function isLogged({ log }: Engage): boolean {
  return log.some(({ level }) => level === "error" || level === "warn");
}
