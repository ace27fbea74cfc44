import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { packageRoot } from "../../../base/package/root.ts";
import { type IngestServer, openIngestServer, taken } from "../../services/webhook/ingest-server.ts";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { type ClickHouseServer, openClickHouse } from "../clickhouse/server.ts";
import { ask, loaded } from "../events/service.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";
import { type Engage, openEngage } from "../webhook/engage.ts";
import { queries, records } from "./moved-records.ts";
import { openReplicas, post, type Replicas } from "./replicas.ts";

const run = promisify(execFile);
const token = "the-token";
const nowMs = Date.now();

let postgres: PostgresServer;
let ingest: IngestServer;
let shards: readonly [ClickHouseServer, ClickHouseServer];
let folder: Awaited<ReturnType<typeof openTempFolder>>;
let embedded: Engage;
let replicas: Replicas | undefined;
let from: string;
let to: string;
let shared: object;

const settings = () => ({
  log: { access: false },
  drainMs: 10_000,
  projects: [
    { id: 1, appids: ["app"], zone: "Asia/Shanghai" },
    { id: 2, appids: ["other"], zone: "UTC" },
  ],
  analysis: { tokens: [{ name: "all", token, projects: "*" }] },
  events: { batch: { maxDelayMs: 30 }, engine: { memoryBytes: 268_435_456 } },
  webhook: {
    clicks: { forward: { url: ingest.url, appid: "APP" } },
    outbound: { allow: [`127.0.0.1:${ingest.port}`] },
  },
});

beforeAll(async () => {
  [postgres, ingest, folder, shards] = await Promise.all([
    openPostgresServer(),
    openIngestServer(),
    openTempFolder(),
    Promise.all([openClickHouse(), openClickHouse()]),
  ]);
  // No click is forwarded before the move.
  ingest.reply = () => undefined;
  shared = {
    ...settings(),
    stores: {
      driver: "shared",
      postgres: { url: postgres.url, maxConnections: 4 },
      clickhouse: { shards: shards.map(({ url }) => url), user: "default" },
    },
  };
  const own = join(folder.path, "embedded");
  mkdirSync(own);
  embedded = await openEngage(own, settings());
  from = join(own, "engage.json");
  to = join(folder.path, "shared.json");
  writeFileSync(to, JSON.stringify({ data: join(folder.path, "unused"), ...shared }));
  await engage("migrate", "--config", to);
});
afterAll(async () => {
  await Promise.all([embedded[Symbol.asyncDispose](), replicas?.[Symbol.asyncDispose]()]);
  await Promise.all([postgres, ingest, folder, ...shards].map((one) => one[Symbol.asyncDispose]()));
});

const program = join(packageRoot, "cmd/engage.ts");
const env = { PATH: process.env["PATH"] };

/** Runs a command; its output follows the errors when it fails. */
async function engage(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [program, ...args], { env });
  return stdout;
}

const move = (): Promise<string> => engage("store", "move", "--to", to, "--config", from);

/** Begins a move and kills it within some time after it has begun. Returns its output when it ended before. */
async function killMove(withinMs: number): Promise<string | undefined> {
  const before = moves();
  const args = [program, "store", "move", "--to", to, "--config", from];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = once(child, "close");
  while (child.exitCode === null && moves() === before) await sleep(20);
  await Promise.race([sleep(Math.random() * withinMs), ended]);
  child.kill("SIGKILL");
  const [code] = await ended;
  // As if the time of its lease had passed.
  postgres.query("UPDATE engage.leases SET until_ms = 0 WHERE name = 'move'");
  return code === 0 ? output : undefined;
}

/** Kills moves, and returns the output of the one that ends. */
async function moveAtLast(kills: number): Promise<string> {
  for (let left = kills; left > 0; left--) {
    const output = await killMove(2_500);
    if (output !== undefined) return output;
  }
  return await move();
}

/** Counts the moves that have begun. */
const moves = (): string => postgres.query("SELECT token FROM engage.leases WHERE name = 'move'");

/** Sends records as an SDK does. */
async function send(target: Engage, given: readonly object[], appid = "app"): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${target.port}/sync_server`, {
    method: "POST",
    headers: { appid, compress: "none", "content-type": "application/json" },
    body: JSON.stringify(given),
  });
  expect(await response.text()).toBe('{"code":0}');
}

async function answers(target: Engage): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const [path, body] of queries) {
    const answer = await ask(target, path, body);
    expect(answer).toMatchObject({ return_code: 0 });
    found.push({ ...answer.data, result_generate_time: "" });
  }
  return found;
}

const counts = async (target: Engage, eventName: string): Promise<number> => {
  const events = [{ type: "normal", eventName, analysis: "TOTAL_TIMES" }];
  const eventView = { recentDay: "0-30", timeParticleSize: "total" };
  const answer = await ask(target, "event-analyze", { events, eventView });
  return Number(answer.data.y[0][`${eventName}.TOTAL_TIMES`][0].values[0]);
};

const savedQuery = {
  name: "Plays",
  requestJson: JSON.stringify({
    projectId: 1,
    eventView: { recentDay: "0-30", timeParticleSize: "total" },
    events: [{ type: "normal", eventName: "play", analysis: "TOTAL_TIMES" }],
  }),
};

it("copies past days beside a running server, however often it is killed", async () => {
  await send(embedded, records(0, 400, nowMs));
  await send(embedded, records(0, 60, nowMs), "other");
  for (const uuid of ["click-1", "click-2"]) {
    const click = { pushId: "account-1", uuid, "#ops_receipt_properties": {} };
    expect((await post(embedded, "/v1/webhook/clicks", click)).status).toBe(200);
  }
  expect((await post(embedded, `/v1/projects/1/queries?token=${token}`, savedQuery)).status).toBe(200);
  writeFileSync(join(folder.path, "vips.csv"), "account_id\naccount-1\naccount-2\naccount-4\nnobody\n");
  await loaded(embedded);
  const url = `http://127.0.0.1:${embedded.port}`;
  const cohort = ["cluster", "import", "vips", join(folder.path, "vips.csv"), "--project", "1"];
  await engage(...cohort, "--token", token, "--url", url, "--config", from);
  await engage("token", "create", "shop", "--project", "1", "--json", "--config", from);
  for (let kills = 0; kills < 2; kills++) await killMove(1_500);
  const output = await move();
  expect(output).toMatch(/ copied, \d+ unchanged, \d+ left until the server is stopped\n/);
  expect(output).toContain("stop the server and run the same command again");
  // Late events of a copied day, which is copied again.
  await send(embedded, records(400, 450, nowMs));
  await loaded(embedded);
});

it("keeps replicas from starting before it is complete", async () => {
  const path = join(folder.path, "early");
  mkdirSync(path);
  await expect(openEngage(path, shared)).rejects.toThrow("engage ended");
});

it("moves the rest of a stopped server, however often it is killed, and compares", async () => {
  await send(embedded, records(450, 500, nowMs));
  await embedded.kill();
  const output = await moveAtLast(3);
  expect(output).toMatch(/^project 1: [\d,]+ events and \d+ users, the same in \d+ comparisons$/m);
  expect(output).toMatch(/^project 2: [\d,]+ events and \d+ users, the same in \d+ comparisons$/m);
  expect(output).toMatch(/^moved: start the replicas$/m);
  await expect(move()).rejects.toThrow("this data folder was moved already");
});

it("answers the same on replicas", async () => {
  await embedded.start();
  const expected = await answers(embedded);
  await embedded.kill();
  ingest.reply = () => taken;
  const path = join(folder.path, "replicas");
  mkdirSync(path);
  replicas = await openReplicas(path, 2, shared);
  for (const replica of replicas.all) expect(await answers(replica)).toEqual(expected);
  for (const { port } of replicas.all) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/projects/1/queries/q1?token=${token}`);
    expect(await response.json()).toMatchObject({ savedQuery });
  }
  expect(await replicas.run("token", "list")).toContain("shop");
  expect(await replicas.run("store", "check")).toBe("no faults found\n");
});

it("goes on with the same users, uuids and first checks", async () => {
  const [first] = replicas!.all as [Engage, Engage];
  const before = await counts(first, "play");
  const users = async (): Promise<Record<string, string>[]> =>
    (await ask(first, ...queries.at(-1)!)).data.datalist;
  const highest = Math.max(...(await users()).map((user) => Number(user["#user_id"])));
  // These are known by their uuids.
  await send(first, records(480, 500, nowMs));
  const [known] = records(1, 2, nowMs);
  const time = new Date().toISOString().replace("T", " ").slice(0, -1);
  const fresh = { ...known, "#type": "track", "#event_name": "play", "#time": time };
  await send(first, [
    { ...fresh, "#uuid": "new-1", "#account_id": "account-1" },
    { ...fresh, "#uuid": "new-2", "#account_id": "somebody new", "#distinct_id": "a new device" },
    { ...fresh, "#uuid": "new-3", "#first_check_id": "check-0" },
    { ...fresh, "#event_name": "buy", "#uuid": "new-4", "#first_check_id": "check-0" },
  ]);
  await vi.waitFor(async () => expect(await counts(first, "play")).toBe(before + 2), { timeout: 60_000 });
  await loaded(first);
  expect(await counts(first, "play")).toBe(before + 2);
  const found = await users();
  const numberOf = (account: string): number =>
    Number(found.find((user) => user["#account_id"] === account)?.["#user_id"]);
  expect(numberOf("somebody new")).toBe(highest + 1);
  const clicked = (): string => ingest.calls.map(({ text }) => text).join("\n");
  await vi.waitFor(() => expect(clicked()).toMatch(/click-1.*click-2/s), { timeout: 60_000 });
});
