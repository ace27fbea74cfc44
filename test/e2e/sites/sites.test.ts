import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../base/text/digest.ts";
import { envelope, grpcStatusOf, sendHttp2 } from "../raw.ts";
import {
  check,
  evil,
  grpc,
  grpcWeb,
  type Headers,
  infoRequest,
  json,
  serveSites,
  shop,
  unauthenticated,
} from "./sites-server.ts";

const keys = [{ name: "all", sha256: sha256Hex("key-all"), methods: ["*"] }];
const server = serveSites();
const { send } = server;

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
      expect(grpcStatusOf(await sendHttp2(server.url, own, body))).toBe(0);
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
  const channels = { open: { auth: "off", targets: ["log"] } };
  const open = serveSites({
    ENGAGE_WEBHOOK_CHANNELS: JSON.stringify(channels),
    ENGAGE_AUTH_KEYS: JSON.stringify(keys),
  });

  test.each<[string, Headers, number]>([
    ["/webhook/open", {}, 200],
    ["/webhook/open", { origin: evil }, 403],
    ["/webhook/%6fpen", { origin: evil }, 403],
    ["/webhook/open", { "sec-fetch-site": "cross-site" }, 403],
    ["/webhook/open", { host: "evil.example" }, 421],
    ["/webhook/open", { host: "engage.internal" }, 200],
    ["/webhook/open", { origin: shop }, 200],
  ])("%s with %j", async (path, headers, status) => {
    expect((await open.send(`POST ${path}`, { ...json, ...headers }, "[]")).status).toBe(status);
  });
});

describe("where keys are asked for", () => {
  const keyed = serveSites({ ENGAGE_AUTH_KEYS: JSON.stringify(keys), ENGAGE_METRICS_AUTH: "keys" });

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
    expect((await keyed.send(line, headers)).status).toBe(status);
  });
});
