import { type ChildProcess, spawn } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runEngage } from "../../cmd/run-engage.ts";
import { urlOf } from "../../e2e/server-process.ts";
import { configMap } from "../../package/manifests.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";
import { freePort } from "../ports.ts";
import { type Balancer, startBalancer } from "./balancer.ts";

/** Replicas with engage.yaml of the ConfigMap on a real PostgreSQL, behind nginx, which are killed. */
const folder = mkdtempSync(join(tmpdir(), "engage-replicas-"));
const secret = "a webhook secret of the test";
let postgres: PostgresServer;
let balancer: Balancer;
const ports: number[] = [];
const replicas: ChildProcess[] = [];

beforeAll(async () => {
  postgres = await openPostgresServer();
  const sha256 = createHash("sha256").update("a key").digest("hex");
  const secrets = {
    "postgres-url": postgres.url,
    "clickhouse-password": "a password of the test",
    "query-token": "a query token of the test",
    "webhook-secret": secret,
  };
  for (const [name, value] of Object.entries(secrets)) writeFileSync(join(folder, name), value);
  const yaml = configMap
    .data!["engage.yaml"]!.replace(/sha256: REPLACE .*/, `sha256: ${sha256}`)
    .replaceAll("/run/secrets/engage/", `${folder}/`);
  writeFileSync(join(folder, "engage.yaml"), yaml);
  ports.push(await freePort(), await freePort());
  balancer = await startBalancer([ports[0]!, ports[1]!]);
});
afterAll(async () => {
  for (const replica of replicas) replica.kill("SIGKILL");
  await balancer[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** The environment of a replica. Events stay in its data folder, so that the suite needs PostgreSQL alone. */
function environmentOf(at: number): Record<string, string> {
  const data = join(folder, `data-${at}`);
  mkdirSync(data, { recursive: true });
  return {
    PATH: process.env["PATH"]!,
    ENGAGE_CONFIG: join(folder, "engage.yaml"),
    ENGAGE_LISTEN: `127.0.0.1:${ports[at]}`,
    ENGAGE_DATA: data,
    ENGAGE_EVENTS_DRIVER: "duckdb",
    ENGAGE_STORES_CLICKHOUSE_SHARDS: "[]",
  };
}

async function startReplica(at: number): Promise<void> {
  const child = spawn(process.execPath, ["cmd/engage.ts", "serve"], {
    env: environmentOf(at),
    stdio: ["ignore", "pipe", "inherit"],
  });
  replicas[at] = child;
  await urlOf(child);
}

async function kill(at: number): Promise<void> {
  const ended = once(replicas[at]!, "exit");
  replicas[at]!.kill("SIGKILL");
  await ended;
}

/** Posts a batch of two messages, of which one has no receiver, through nginx. */
async function post(requestId: string): Promise<unknown> {
  const receipt = { ops_project_id: 1, ops_request_id: requestId };
  const first = { push_id: "ann", params: { title: "Hi" }, "#ops_receipt_properties": receipt };
  const body = JSON.stringify([first, { ...first, push_id: "" }]);
  const signature = createHmac("sha1", secret).update(body).digest("hex");
  const headers = { "content-type": "application/json", "x-svc-ops-signature": signature };
  const place = { host: "127.0.0.1", port: balancer.port, ca: balancer.cert, servername: "localhost" };
  const sent = request({ ...place, path: "/webhook/push", method: "POST", headers, agent: false }).end(body);
  const [response] = await once(sent, "response");
  const reply = await text(response);
  expect(response.statusCode, balancer.logs()).toBe(200);
  return JSON.parse(reply);
}

const accepted = {
  return_code: 0,
  return_message: "success",
  data: { fail_list: [{ index: 2, message: "push_id is required" }] },
};

it("migrates twice at once, before replicas can start", async () => {
  const results = await Promise.all([0, 1].map((at) => runEngage(["migrate"], { env: environmentOf(at) })));
  expect(results.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ]);
});

it("keeps the replies to request ids while one replica after the other is killed", async () => {
  await Promise.all([startReplica(0), startReplica(1)]);
  expect(await post("r-1")).toEqual(accepted);
  await kill(0);
  expect(await post("r-1")).toEqual(accepted);
  expect(await post("r-2")).toEqual(accepted);
  await startReplica(0);
  await kill(1);
  expect(await post("r-1")).toEqual(accepted);
  expect(await post("r-2")).toEqual(accepted);
  expect(postgres.query("SELECT count(*) FROM engage.batches").trim()).toBe("2");
});
