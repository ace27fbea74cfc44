import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../base/text/digest.ts";
import { loadConfig } from "../../../cmd/config/config.ts";
import { type RunningServer, startServer } from "../../../cmd/serve/server.ts";
import { GetStatsRequestSchema } from "../../../gen/engage/webhook/v1/delivery_pb.ts";
import { envelope, sendHttp1 } from "../../e2e/raw.ts";
import { openForAll } from "../../open-for-all.ts";

const keys = [
  { name: "ops", sha256: sha256Hex("key-ops") },
  { name: "viewer", sha256: sha256Hex("key-viewer"), access: "read" },
  { name: "stats", sha256: sha256Hex("key-stats"), methods: ["engage.webhook.v1.WebhookReceiver/GetStats"] },
];

function open(env: Readonly<Record<string, string>>): () => RunningServer {
  return openForAll(async (onEnd) => {
    const data = mkdtempSync(join(tmpdir(), "engage-"));
    const own = { ENGAGE_LISTEN: "127.0.0.1:0", ENGAGE_LOG_LEVEL: "silent", ENGAGE_DATA: data };
    const server = await startServer(loadConfig({ env: { ...own, ...env }, cwd: process.cwd() }).config);
    onEnd(() => server.stop());
    return server;
  });
}

const server = open({ ENGAGE_AUTH_KEYS: JSON.stringify(keys) });
const replica = open({ ENGAGE_AUTH_KEYS: JSON.stringify(keys) });
const withoutOps = open({ ENGAGE_AUTH_KEYS: JSON.stringify(keys.slice(1)) });
const withoutKeys = open({});

const ownPage = (at: RunningServer) => ({
  host: `127.0.0.1:${at.address.port}`,
  origin: `http://127.0.0.1:${at.address.port}`,
});

type Headers = Readonly<Record<string, string | undefined>>;

async function send(at: RunningServer, line: string, headers: Headers, body: string | Uint8Array = "") {
  const length = { "content-length": String(body.length) };
  const answer = await sendHttp1(at.address.port, line, { ...length, ...headers }, body);
  return { ...answer, text: answer.body.toString() };
}

function signIn(at: RunningServer, key: string, headers: Headers = ownPage(at)) {
  const json = { "content-type": "application/json" };
  return send(at, "POST /console/session", { ...json, ...headers }, JSON.stringify({ key }));
}

async function cookieOf(at: RunningServer, key: string): Promise<string> {
  return (await signIn(at, key)).headers["set-cookie"]!.toString().split(";")[0]!;
}

const getStats = "engage.webhook.v1.WebhookReceiver/GetStats";
const replay = "engage.webhook.v1.WebhookReceiver/ReplayDeadLetters";
const connect = { "content-type": "application/json", "connect-protocol-version": "1" };

/** Calls a method over Connect as the console does, or with other headers. */
function call(at: RunningServer, method: string, headers: Headers, body = "{}") {
  return send(at, `POST /${method}`, { ...connect, ...ownPage(at), ...headers }, body);
}

describe("a server that asks for no keys", () => {
  test("asks for none in the console", async () => {
    const answer = await send(withoutKeys(), "GET /console/session", {});
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { required: false }]);
  });
});

describe("signing in", () => {
  test("is required where calls need a key", async () => {
    const answer = await send(server(), "GET /console/session", {});
    expect(JSON.parse(answer.text)).toEqual({ required: true });
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect((await call(server(), getStats, {})).status).toBe(401);
  });

  test("gives a cookie without the key, with which calls are made on every replica", async () => {
    const answer = await signIn(server(), " key-ops ");
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      200,
      { required: true, name: "ops", access: "write", endMs: expect.any(Number) },
    ]);
    const cookie = answer.headers["set-cookie"]!.toString();
    expect(cookie).toMatch(/^engage-session=v1\.[\w-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain("key-ops");
    const headers = { cookie: cookie.split(";")[0] };
    for (const at of [server(), replica()]) {
      expect((await call(at, getStats, headers)).status).toBe(200);
      const state = await send(at, "GET /console/session", { ...ownPage(at), ...headers });
      expect(JSON.parse(state.text)).toMatchObject({ name: "ops" });
    }
    expect((await call(withoutOps(), getStats, headers)).status).toBe(401);
  });

  test.each([
    ["a wrong key", '{"key":"nope"}', 401],
    ["no key", "{}", 400],
    ["an empty key", '{"key":""}', 400],
    ["no JSON", "key=key-ops", 400],
    ["a body that is too long", JSON.stringify({ key: "k".repeat(5_000) }), 400],
  ])("with %s fails", async (_name, body, status) => {
    const answer = await send(server(), "POST /console/session", ownPage(server()), body);
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([status, undefined]);
    expect(JSON.parse(answer.text)).toMatchObject({ message: expect.any(String) });
    expect(answer.text).not.toContain("nope");
  });

  test.each([
    ["a program", {}],
    ["a page of another origin", { origin: "http://evil.example" }],
    ["a page of another port of the same host", { origin: "http://127.0.0.1:1" }],
    ["a page of the same site", { "sec-fetch-site": "same-site" }],
  ])("is not for %s", async (_name, headers) => {
    const own = { host: `127.0.0.1:${server().address.port}`, ...headers };
    const answer = await signIn(server(), "key-ops", own);
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([403, undefined]);
    const out = await send(server(), "DELETE /console/session", own);
    expect([out.status, out.headers["set-cookie"]]).toEqual([403, undefined]);
  });

  test("ends in the browser by signing out", async () => {
    const answer = await send(server(), "DELETE /console/session", ownPage(server()));
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([
      200,
      "engage-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
    ]);
  });

  test("takes no other method", async () => {
    const answer = await send(server(), "PUT /console/session", ownPage(server()));
    expect([answer.status, answer.headers["allow"]]).toEqual([405, "DELETE, GET, HEAD, POST"]);
  });

  test("is refused after ten wrong keys of an address, also with a right one", async () => {
    let refused = await signIn(replica(), "nope");
    for (let i = 0; i < 20 && refused.status === 401; i++) refused = await signIn(replica(), `nope-${i}`);
    expect([refused.status, Number(refused.headers["retry-after"])]).toEqual([429, expect.any(Number)]);
    expect((await signIn(replica(), "key-ops")).status).toBe(429);
  });
});

describe("a session", () => {
  test("may call what its key may", async () => {
    const cookie = await cookieOf(server(), "key-stats");
    expect((await call(server(), getStats, { cookie })).status).toBe(200);
    expect((await call(server(), replay, { cookie })).status).toBe(403);
  });

  test("authorizes REST and gRPC-Web too, and a page of the server that reads by GET", async () => {
    const headers = { ...ownPage(server()), cookie: await cookieOf(server(), "key-ops") };
    expect((await send(server(), "GET /v1/webhook/stats", headers)).status).toBe(200);
    const message = envelope(toBinary(GetStatsRequestSchema, create(GetStatsRequestSchema)));
    const web = { "content-type": "application/grpc-web+proto", "x-grpc-web": "1" };
    const answer = await send(server(), `POST /${getStats}`, { ...headers, ...web }, message);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("grpc-status: 0")]);
  });

  test.each([
    ["another origin", { origin: "http://evil.example" }],
    ["another port", { origin: "http://127.0.0.1:1" }],
    ["another page of the site", { "sec-fetch-site": "same-site" }],
    ["no page", { origin: undefined }],
  ])("authorizes nothing that comes from %s", async (_name, headers) => {
    const cookie = await cookieOf(server(), "key-ops");
    const from = Object.entries({ ...connect, ...ownPage(server()), ...headers, cookie });
    const sent = Object.fromEntries(from.filter(([, value]) => value !== undefined));
    const answer = await send(server(), `POST /${getStats}`, sent, "{}");
    expect([401, 403]).toContain(answer.status);
  });

  test("changes something only with a header that no form sends", async () => {
    const cookie = await cookieOf(server(), "key-ops");
    const headers = { ...ownPage(server()), "content-type": "application/json", cookie };
    const body = '{"all":true,"dryRun":true}';
    const without = await send(server(), "POST /v1/webhook/dead-letters:replay", headers, body);
    expect([without.status, without.text]).toEqual([
      403,
      expect.stringContaining("connect-protocol-version"),
    ]);
    const script = { ...headers, "connect-protocol-version": "1" };
    expect((await send(server(), "POST /v1/webhook/dead-letters:replay", script, body)).status).toBe(200);
    expect((await call(server(), replay, { cookie }, body)).status).toBe(200);
  });

  test("counts less than a key that is sent", async () => {
    const cookie = await cookieOf(server(), "key-ops");
    expect((await call(server(), getStats, { cookie, "x-api-key": "nope" })).status).toBe(401);
  });

  test("may read the metrics where these need a key", async () => {
    const cookie = await cookieOf(server(), "key-viewer");
    expect((await send(server(), "GET /metrics", { ...ownPage(server()), cookie })).status).toBe(200);
  });
});

describe("a key with read access", () => {
  const body = '{"all":true,"dryRun":true}';

  test.each([
    ["by itself", async () => ({ "x-api-key": "key-viewer" })],
    ["as a session", async () => ({ cookie: await cookieOf(server(), "key-viewer") })],
  ])("%s reads and changes nothing", async (_name, credentials) => {
    const headers = { ...ownPage(server()), ...(await credentials()) };
    expect((await call(server(), getStats, headers)).status).toBe(200);
    expect((await send(server(), "GET /v1/webhook/dead-letters", headers)).status).toBe(200);
    const refused = await call(server(), replay, headers, body);
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining(`${replay} changes something`),
    ]);
    const rest = { ...headers, "content-type": "application/json" };
    expect((await send(server(), "POST /v1/webhook/dead-letters:replay", rest, body)).status).toBe(403);
    expect((await send(server(), "POST /sync_json?appid=demo-app", rest, "[]")).status).toBe(403);
  });
});
