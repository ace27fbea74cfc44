import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256Hex } from "../../base/text/digest.ts";
import { loadConfig } from "../../cmd/config/config.ts";
import { type RunningServer, startServer } from "../../cmd/serve/server.ts";
import { envelope, grpcStatusOf, type RawAnswer, sendHttp1, sendHttp2 } from "./raw.ts";

type Headers = Readonly<Record<string, string | undefined>>;

const shop = "https://shop.example";
const evil = "https://evil.example";
const json = { "content-type": "application/json" };
const grpcWeb = { "content-type": "application/grpc-web+proto" };
const grpc = { "content-type": "application/grpc", te: "trailers" };
const check = "/grpc.health.v1.Health/Check";
const getStats = "/engage.webhook.v1.WebhookReceiver/GetStats";
const infoRequest = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

async function start(env: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const data = mkdtempSync(join(tmpdir(), "engage-"));
  const settings = {
    ENGAGE_LISTEN: "127.0.0.1:0",
    ENGAGE_LOG_LEVEL: "silent",
    ENGAGE_DATA: data,
    ENGAGE_GATEWAY_CORS: `["${shop}", "http://127.0.0.1:3000"]`,
    ENGAGE_GATEWAY_HOSTS: '["engage.internal", "proxy.internal:8443"]',
    ...env,
  };
  return await startServer(loadConfig({ env: settings, cwd: process.cwd() }).config);
}

let server: RunningServer;
let port = 0;
beforeAll(async () => {
  server = await start();
  ({ port } = server.address);
});
afterAll(() => server.stop());

function send(line: string, headers: Headers, body = ""): Promise<RawAnswer> {
  const length = body === "" ? undefined : String(body.length);
  return sendHttp1(port, line, dropUndefined({ "content-length": length, ...headers }), body);
}

function dropUndefined(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Requests that nothing authenticates: each reveals or does something. */
const unauthenticated: readonly [line: string, headers: Headers, body: string, plainStatus: number][] = [
  ["GET /metrics", {}, "", 200],
  ["HEAD /metrics", {}, "", 200],
  ["GET /docs", {}, "", 200],
  ["GET /openapi.json", {}, "", 200],
  ["GET /readyz", {}, "", 200],
  ["GET /v1/webhook/stats", {}, "", 200],
  ["GET /v1/channels", {}, "", 200],
  ["DELETE /v1/channels/none", {}, "", 404],
  ["POST /v1/channels:test", json, "{}", 400],
  ["POST /v1/audiences:estimate", json, "{}", 400],
  [`POST ${getStats}`, json, "{}", 200],
  [`POST ${check}`, json, "{}", 200],
  [`POST ${check}`, grpcWeb, envelope(new Uint8Array()).toString("latin1"), 200],
  [`POST ${infoRequest}`, { "content-type": "application/connect+json" }, "", 505],
  ["GET /nothing/here", {}, "", 404],
];

const fromElsewhere: readonly [name: string, headers: Headers][] = [
  ["another site", { origin: evil }],
  ["another site, as a browser tells it", { origin: evil, "sec-fetch-site": "cross-site" }],
  ["an image of another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }],
  ["a link on another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }],
  ["another port of this machine", { origin: "http://localhost:3001", "sec-fetch-site": "same-site" }],
  ["a page without an origin", { origin: "null" }],
  ["a file", { origin: "file://" }],
  ["an origin that starts like its own", { origin: "http://localhost.evil.example" }],
  ["an origin that ends like a listed one", { origin: "https://evilshop.example" }],
  ["a listed origin on another port", { origin: `${shop}:8443` }],
  ["a listed origin without TLS", { origin: "http://shop.example" }],
  ["two origins", { origin: `http://localhost, ${evil}` }],
  ["an empty origin", { origin: "" }],
  ["its own name over TLS", { origin: "https://localhost", "sec-fetch-site": "cross-site" }],
  ["a site that says two things", { "sec-fetch-site": "same-origin, cross-site" }],
];

describe.each(fromElsewhere)("a request of %s", (_name, headers) => {
  test.each(unauthenticated)("%s is refused", async (line, own, body) => {
    const answer = await send(line, { ...own, ...headers }, body);
    expect(answer.status).toBe(403);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("a request under the name of another server", () => {
  const names = [
    "evil.example",
    "evil.example:80",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "0.0.0.0",
    "10.0.0.1",
    "[::]",
    "engage.internal.evil.example",
    "proxy.internal",
    "proxy.internal:1",
  ];

  test.each(names)("%s", async (host) => {
    for (const [line, own, body] of unauthenticated) {
      expect([line, (await send(line, { ...own, host }, body)).status]).toEqual([line, 421]);
    }
    const rebound = { host, origin: `http://${host}`, "sec-fetch-site": "same-origin" };
    expect((await send("GET /metrics", rebound)).status).toBe(421);
    expect((await send("GET /metrics", { host, "x-forwarded-host": "localhost" })).status).toBe(421);
  });

  test.each([
    "localhost",
    "LOCALHOST",
    "localhost.",
    "localhost:1",
    "app.localhost:8080",
    "127.0.0.1",
    "127.8.8.8:9",
    "[::1]",
    "[::1]:8080",
    "engage.internal",
    "Engage.Internal:9",
    "proxy.internal:8443",
  ])("%s is a name of its own", async (host) => {
    for (const [line, own, body, status] of unauthenticated) {
      expect([line, (await send(line, { ...own, host }, body)).status]).toEqual([line, status]);
    }
    const own = { host, origin: `http://${host}`, "sec-fetch-site": "same-origin" };
    expect((await send("GET /metrics", own)).status).toBe(200);
    expect((await send("GET /metrics", { host, "x-forwarded-host": "evil.example" })).status).toBe(200);
  });
});

test("refusals say what is valid", async () => {
  const crossSite = await send("GET /metrics", { origin: evil });
  expect(JSON.parse(crossSite.body.toString())).toMatchObject({
    code: 7,
    message: expect.stringMatching(/^pages of "https:\/\/evil\.example" may not .* gateway\.cors$/),
    details: [{ reason: "CROSS_SITE" }],
  });
  const foreign = await send("GET /metrics", { host: "evil.example" });
  expect(JSON.parse(foreign.body.toString())).toMatchObject({
    code: 7,
    message: expect.stringMatching(/"evil\.example": valid are localhost, .* gateway\.hosts$/),
    details: [{ reason: "FOREIGN_HOST" }],
  });
  const overGrpcWeb = await send(`POST ${check}`, { ...grpcWeb, origin: evil }, "\0\0\0\0\0");
  expect([overGrpcWeb.status, grpcStatusOf(overGrpcWeb)]).toEqual([403, 7]);
});

test.each(["/", "/docs"])("a link on another site may open %s", async (path) => {
  const headers = {
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
  };
  expect((await send(`GET ${path}`, headers)).status).toBe(200);
  expect((await send(`GET ${path}`, { ...headers, "sec-fetch-dest": "iframe" })).status).toBe(403);
});

describe("native gRPC over cleartext HTTP/2 is not affected", () => {
  test.each([{}, { origin: evil }, { "sec-fetch-site": "cross-site" }])("by %j", async (headers) => {
    for (const [path, body] of [
      [check, envelope(new Uint8Array())],
      [infoRequest, Buffer.alloc(0)],
    ] as const) {
      const own = { ":path": path, ":authority": "evil.example", ...grpc, ...headers };
      expect(grpcStatusOf(await sendHttp2(server.address.url, own, body))).toBe(0);
    }
  });
});

/** A signature, an app id or a token of their own is what they are refused for, if at all. */
const authenticated: readonly [line: string, headers: Headers, body: string, status: number][] = [
  ["POST /webhook/demo", json, "[]", 401],
  ["POST /open/event-analyze", json, "{}", 200],
  ["POST /sync_js", { "content-type": "application/x-www-form-urlencoded" }, "data=e30%3D", 200],
  ["POST /sync_server", { appid: "nope" }, "[]", 200],
  [
    "POST /data_debug",
    { "content-type": "application/x-www-form-urlencoded" },
    "appid=demo-app&data=%7B%7D",
    200,
  ],
  ["GET /config?appid=demo-app", {}, "", 200],
  ["GET /health-check", {}, "", 200],
];

describe.each([
  { host: "evil.example" },
  { origin: evil },
  { origin: "null" },
  { "sec-fetch-site": "cross-site" },
])("%j does not matter where the path has an authentication of its own", (headers) => {
  test.each(authenticated)("%s", async (line, own, body, status) => {
    expect((await send(line, { ...own, ...headers }, body)).status).toBe(status);
  });
});

describe("a webhook channel without a signature", () => {
  let open: RunningServer;
  beforeAll(async () => {
    const channels = { open: { auth: "off", targets: ["log"] } };
    const keys = [{ name: "all", sha256: sha256Hex("key-all"), methods: ["*"] }];
    open = await start({
      ENGAGE_WEBHOOK_CHANNELS: JSON.stringify(channels),
      ENGAGE_AUTH_KEYS: JSON.stringify(keys),
    });
  });
  afterAll(() => open.stop());

  test.each<[string, Headers, number]>([
    ["/webhook/open", {}, 200],
    ["/webhook/open", { origin: evil }, 403],
    ["/webhook/%6fpen", { origin: evil }, 403],
    ["/webhook/open", { "sec-fetch-site": "cross-site" }, 403],
    ["/webhook/open", { host: "evil.example" }, 421],
    ["/webhook/open", { host: "engage.internal" }, 200],
    ["/webhook/open", { origin: shop }, 200],
  ])("%s with %j", async (path, headers, status) => {
    const own = { ...json, "content-length": "2", ...headers };
    expect((await sendHttp1(open.address.port, `POST ${path}`, dropUndefined(own), "[]")).status).toBe(
      status,
    );
  });
});

describe("CORS", () => {
  const preflight = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type,x-grpc-web,connect-protocol-version,grpc-timeout",
  };

  test.each([
    "/sync_js",
    "/sync_server",
    "/sync",
    "/sync_json",
    "/sync_data",
    "/sync_xcx",
    "/logbus",
    "/data_debug",
    "/config",
  ])("%s is open to every origin", async (path) => {
    for (const origin of [evil, shop, "null"]) {
      const asked = await send(`OPTIONS ${path}`, { origin, ...preflight });
      expect(asked.status).toBe(204);
      expect(asked.headers).toMatchObject({
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        "access-control-allow-headers": preflight["access-control-request-headers"],
        "access-control-max-age": "7200",
        vary: expect.stringContaining("origin"),
      });
      const answer = await send(`POST ${path}`, { origin, ...json }, "{}");
      expect(answer.headers).toMatchObject({ "access-control-allow-origin": origin, vary: "origin" });
    }
  });

  test.each([
    ["/metrics", "GET, HEAD"],
    ["/v1/channels", "GET, POST"],
    ["/v1/webhook/stats", "GET"],
    [getStats, "POST"],
    [infoRequest, "POST"],
  ])("%s is open to the origins in gateway.cors", async (path, methods) => {
    const asked = await send(`OPTIONS ${path}`, { origin: shop, ...preflight });
    expect(asked.status).toBe(204);
    expect(asked.headers).toMatchObject({
      "access-control-allow-origin": shop,
      "access-control-allow-methods": methods,
      "access-control-allow-headers": preflight["access-control-request-headers"],
    });
    const refused = await send(`OPTIONS ${path}`, { origin: evil, ...preflight });
    expect(refused.status).toBe(403);
    expect(refused.headers["access-control-allow-origin"]).toBeUndefined();
  });

  test.each(unauthenticated)(
    "%s answers a listed page, which reads the status of gRPC",
    async (line, own, body, status) => {
      const answer = await send(line, { ...own, origin: shop, "sec-fetch-site": "cross-site" }, body);
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject({
        "access-control-allow-origin": shop,
        "access-control-expose-headers": expect.stringMatching(
          /grpc-message, grpc-status, grpc-status-details-bin/,
        ),
        vary: expect.stringContaining("origin"),
      });
    },
  );

  test("caches are informed also by responses to others, and by compressed ones", async () => {
    expect((await send("GET /healthz", {})).headers["vary"]).toBe("origin");
    const packed = await send("GET /openapi.json", { "accept-encoding": "gzip" });
    expect(packed.headers["vary"]).toBe("origin, accept-encoding");
    expect((await send("GET /", {})).headers["vary"]).toBe("origin, accept");
  });

  test("a page of a public site may ask for a server in a private network", async () => {
    const headers = { origin: shop, ...preflight, "access-control-request-private-network": "true" };
    expect((await send("OPTIONS /sync_js", headers)).headers["access-control-allow-private-network"]).toBe(
      "true",
    );
  });

  test("a listed origin does not make a foreign name a good one", async () => {
    expect((await send("GET /metrics", { origin: shop, host: "evil.example" })).status).toBe(421);
  });
});

describe("where keys are asked for", () => {
  let keyed: RunningServer;
  beforeAll(async () => {
    const keys = [{ name: "all", sha256: sha256Hex("key-all"), methods: ["*"] }];
    keyed = await start({ ENGAGE_AUTH_KEYS: JSON.stringify(keys), ENGAGE_METRICS_AUTH: "keys" });
  });
  afterAll(() => keyed.stop());

  test.each<[string, Headers, number]>([
    ["GET /v1/channels", { origin: evil }, 401],
    ["GET /v1/channels", { origin: evil, "x-api-key": "key-all" }, 200],
    ["GET /v1/channels", { host: "evil.example", authorization: "Bearer key-all" }, 200],
    ["GET /v1/channels", { origin: shop, "x-api-key": "key-all" }, 200],
    ["GET /metrics", {}, 401],
    ["GET /metrics", { authorization: "Bearer nope" }, 401],
    ["GET /metrics", { authorization: "Bearer key-all" }, 200],
    ["GET /metrics", { "x-api-key": "key-all" }, 200],
    ["GET /readyz", {}, 200],
    ["GET /metrics", { origin: evil }, 403],
    ["GET /metrics", { host: "evil.example" }, 421],
    [`POST ${check}`, { ...json, host: "evil.example" }, 421],
  ])("%s with %j", async (line, headers, status) => {
    expect((await sendHttp1(keyed.address.port, line, dropUndefined(headers))).status).toBe(status);
  });
});
