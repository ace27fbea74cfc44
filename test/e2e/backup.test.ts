import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { folderWith } from "../cmd/config/load.ts";
import { runEngage } from "../cmd/run-engage.ts";
import { type Engage, openEngage } from "../servers/webhook/engage.ts";

const patience = { timeout: 30_000, interval: 50 };
const secret = "a-secret-of-more-than-32-characters";
const settings = {
  log: { access: false },
  projects: [{ id: 1, appids: ["app"] }],
  events: { batch: { maxDelayMs: 20 }, spool: { minFreeBytes: 0 }, engine: { memoryBytes: 268_435_456 } },
  webhook: {
    channels: { mail: { secrets: [{ value: secret }], targets: ["box"] } },
    targets: { box: { kind: "pull" } },
    inbox: { minFreeBytes: 0 },
  },
};

/** What was sent, in order, and what was acknowledged. */
interface Sent {
  readonly sent: string[];
  readonly acknowledged: string[];
}

async function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return await response.text();
}

function sendRecord({ port }: Engage, id: string): Promise<string> {
  const time = new Date().toISOString().replace("T", " ").slice(0, 19);
  const record = {
    "#type": "track",
    "#event_name": "login",
    "#time": time,
    "#account_id": id,
    properties: {},
  };
  return post(`http://127.0.0.1:${port}/sync_server`, JSON.stringify([record]), {
    appid: "app",
    compress: "none",
  });
}

function sendBatch({ port }: Engage, id: string): Promise<string> {
  const body = JSON.stringify([{ push_id: id, "#ops_receipt_properties": { ops_request_id: id } }]);
  const signature = createHmac("sha1", secret).update(body).digest("hex");
  return post(`http://127.0.0.1:${port}/webhook/mail`, body, { "x-svc-ops-signature": signature });
}

/** Sends one after the other until the server is gone. */
async function sendAll(send: (id: string) => Promise<string>, name: string, log: Sent): Promise<void> {
  for (let at = 0; ; at++) {
    const id = `${name}-${at}`;
    log.sent.push(id);
    const reply = await send(id).catch(() => undefined);
    if (reply === undefined) return;
    expect(reply).toMatch(/^\{"(?:code":0\}|return_code":0,)/);
    log.acknowledged.push(id);
  }
}

/** Returns the value of a metric without labels. */
async function metricOf({ port }: Engage, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
}

async function acceptedOf({ port }: Engage): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/v1/webhook/stats`)).text();
  return Number(/"accepted":"(\d+)"/.exec(text)?.[1]);
}

/** Returns the account ids of all events, one for each event. */
async function accountsOf(config: string): Promise<string[]> {
  const { stdout } = await runEngage(["export", "-", "--config", config, "--no-users"]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { "#account_id": string })["#account_id"]);
}

test("a backup that was made while records and webhooks arrived has all that was acknowledged before", async () => {
  const data = folderWith({});
  const made = folderWith({});
  const config = join(data, "engage.json");
  await using server = await openEngage(data, settings);
  const records: Sent = { sent: [], acknowledged: [] };
  const batches: Sent = { sent: [], acknowledged: [] };
  const sending = [0, 1, 2].flatMap((loop) => [
    sendAll((id) => sendRecord(server, id), `user-${loop}`, records),
    sendAll((id) => sendBatch(server, id), `batch-${loop}`, batches),
  ]);
  const grow = async (): Promise<void> => {
    const [ofRecords, ofBatches] = [records.acknowledged.length, batches.acknowledged.length];
    await vi.waitFor(() => {
      expect(records.acknowledged.length).toBeGreaterThan(ofRecords + 50);
      expect(batches.acknowledged.length).toBeGreaterThan(ofBatches + 50);
    }, patience);
  };
  await grow();
  const before = { records: [...records.acknowledged], batches: [...batches.acknowledged] };
  const backup = await runEngage(["backup", made, "--config", config]);
  expect(backup).toMatchObject({ code: 0, stderr: expect.stringContaining("while the server ran") });
  const later = { records: new Set(records.sent), batches: batches.sent.length };
  await grow();
  await server.kill("SIGKILL");
  await Promise.all(sending);
  const { contents } = JSON.parse(readFileSync(join(made, "backup.json"), "utf8")) as {
    contents: { batches: number };
  };
  expect(contents.batches).toBeGreaterThanOrEqual(before.batches.length);
  expect(contents.batches).toBeLessThanOrEqual(later.batches);
  const restored = await runEngage(["restore", made, "--replace", "--config", config]);
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining("is restored into") });
  await server.start();
  expect(await acceptedOf(server)).toBe(contents.batches);
  // Batches that were acknowledged before the backup are known.
  for (const id of before.batches) await sendBatch(server, id);
  expect(await acceptedOf(server)).toBe(contents.batches);
  await sendRecord(server, "after");
  await vi.waitFor(async () => expect(await metricOf(server, "engage_events_lag_bytes")).toBe(0), patience);
  await server.kill("SIGTERM");
  const accounts = await accountsOf(config);
  expect(accounts.length).toBe(new Set(accounts).size);
  expect(before.records.filter((id) => !accounts.includes(id))).toEqual([]);
  expect(accounts.filter((id) => !later.records.has(id))).toEqual(["after"]);
}, 90_000);
