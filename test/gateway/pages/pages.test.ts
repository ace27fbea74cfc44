import { createServer } from "node:http";
import { connect, constants, createServer as createHttp2Server } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from "vitest";
import { createPages, type PagesOptions } from "../../../gateway/pages/pages.ts";

let isDraining = false;
let checks: Record<string, ReturnType<PagesOptions["checks"]>[string]> = {};
const faults: unknown[] = [];

const pages = createPages({
  isDraining: () => isDraining,
  checks: () => checks,
  metrics: { contentType: "text/plain; version=0.0.4", text: async () => "engage_up 1\n" },
  pages: {
    "/docs": () => ({
      contentType: "text/html",
      body: Buffer.from("<p>docs"),
      headers: { "cache-control": "max-age=60" },
    }),
    "/broken": () => Promise.reject(new Error("a secret reason")),
  },
  reportFault: (error, path) => faults.push([(error as Error).message, path]),
});

const http1 = createServer((request, response) => {
  const isPage = pages.serve(request.url!, request, response);
  response.statusCode = 404;
  isPage || response.end("other");
});
const http2 = createHttp2Server((request, response) => {
  pages.serve(request.url, request, response);
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let base1 = "";
let base2 = "";
beforeAll(async () => {
  base1 = await listen(http1);
  base2 = await listen(http2);
});
afterAll(() => {
  http1.close();
  http1.closeAllConnections();
  http2.close();
});

async function get(path: string, init: RequestInit = {}) {
  const response = await fetch(base1 + path, init);
  return { status: response.status, headers: response.headers, body: await response.text() };
}

describe("pages", () => {
  it.each([
    ["/healthz", 200, "application/json", '{"status":"ok"}', "no-store"],
    ["/readyz", 200, "application/json", '{"status":"ready","checks":{}}', "no-store"],
    ["/metrics", 200, "text/plain; version=0.0.4", "engage_up 1\n", "no-store"],
    ["/docs", 200, "text/html", "<p>docs", "max-age=60"],
  ])("%s answers GET, and HEAD without the body", async (path, status, type, body, cache) => {
    const answer = await get(path);
    const head = await get(path, { method: "HEAD" });
    expect([answer.status, answer.body, head.status, head.body]).toEqual([status, body, status, ""]);
    const headers = { "content-type": type, "content-length": String(body.length), "cache-control": cache };
    expect(Object.fromEntries(answer.headers)).toMatchObject(headers);
    expect(Object.fromEntries(head.headers)).toMatchObject(headers);
  });

  it.each(["POST", "PUT", "DELETE", "OPTIONS"])("refuse %s, whatever body it brings", async (method) => {
    const answer = await get("/metrics", { method, body: "x".repeat(100_000) });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect(JSON.parse(answer.body)).toEqual({
      code: 12,
      message: "/metrics takes GET and HEAD only",
      details: [],
    });
    expect((await get("/healthz")).status).toBe(200);
  });

  it.each(["/", "/healthz/", "/HEALTHZ", "/docs/x", "/__proto__"])("leave %s to others", async (path) => {
    expect(await get(path)).toMatchObject({ status: 404, body: "other" });
  });

  it("conceal what a handler throws", async () => {
    const answer = await get("/broken");
    expect(answer).toMatchObject({
      status: 500,
      body: '{"code":13,"message":"internal error","details":[]}',
    });
    expect(faults).toEqual([["a secret reason", "/broken"]]);
  });

  it.each([
    ["GET", '{"status":"ok"}'],
    ["HEAD", ""],
  ])("answer %s over HTTP/2", async (method, expected) => {
    const session = connect(base2);
    const stream = session.request({ ":path": "/healthz", ":method": method });
    const status = new Promise((resolve) =>
      stream.once("response", (headers) => resolve(headers[constants.HTTP2_HEADER_STATUS])),
    );
    const body = (await stream.setEncoding("utf8").toArray()).join("");
    session.close();
    expect([await status, body]).toEqual([200, expected]);
  });
});

it.each(["/metrics", "/readyz"])("the packets of one read that ask for %s share one answer", async (path) => {
  let runs = 0;
  const answerOf = createPages({
    isDraining: () => false,
    checks: () => ({ a: () => void runs++ }),
    metrics: { contentType: "text/plain", text: async () => String(runs++) },
    reportFault: () => {},
  });
  const bodies = await Promise.all(
    Array.from({ length: 1_000 }, async () => {
      const ended = Promise.withResolvers<string>();
      const request = { method: "GET", headers: {}, resume: () => {} };
      const response = { writeHead: () => {}, end: (body: Buffer) => ended.resolve(body.toString()) };
      answerOf.serve(path, request as never, response as never);
      return await ended.promise;
    }),
  );
  expect([runs, new Set(bodies).size]).toEqual([1, 1]);
});

describe("/readyz", () => {
  const fine = () => undefined;

  it.each<[string, typeof checks, number, object]>([
    [
      "a part is unavailable, and records are still accepted",
      { a: fine, b: async () => "degraded: unavailable shards: 2" },
      200,
      { status: "ready", checks: { a: "ok", b: "degraded: unavailable shards: 2" } },
    ],
    [
      "all is well",
      { a: fine, b: async () => undefined },
      200,
      { status: "ready", checks: { a: "ok", b: "ok" } },
    ],
    [
      "a check has a reason",
      { inbox: async () => "disk nearly full", b: fine },
      503,
      { status: "not ready", checks: { inbox: "disk nearly full", b: "ok" } },
    ],
    [
      "a check throws",
      {
        a: () => {
          throw new Error("password");
        },
      },
      503,
      { status: "not ready", checks: { a: "the check failed" } },
    ],
    [
      "a check rejects",
      { a: () => Promise.reject("password") },
      503,
      { status: "not ready", checks: { a: "the check failed" } },
    ],
    [
      "a check never answers",
      { a: () => new Promise(() => undefined), b: fine },
      503,
      { status: "not ready", checks: { a: "no response within 900 ms", b: "ok" } },
    ],
  ])("when %s", async (_, present, status, body) => {
    checks = present;
    const answer = await get("/readyz");
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, body]);
  });

  it("asks no check while draining, and stays alive", async () => {
    isDraining = true;
    checks = { a: () => Promise.reject(new Error("asked")) };
    expect(await get("/readyz")).toMatchObject({ status: 503, body: '{"status":"draining"}' });
    expect((await get("/healthz")).status).toBe(200);
    isDraining = false;
  });
});

test("/metrics may ask for a key", async () => {
  const refuse = (): never => {
    throw new ConnectError("this call needs a key", Code.Unauthenticated);
  };
  const guarded = createPages({
    isDraining: () => false,
    checks: () => ({}),
    metrics: { contentType: "text/plain", text: async () => "engage_up 1\n" },
    requireMetricsKey: ({ headers }) => (headers["x-api-key"] === "right" ? undefined : refuse()),
    reportFault: (error) => faults.push(error),
  });
  const server = createServer((request, response) => void guarded.serve(request.url!, request, response));
  const url = await listen(server);
  onTestFinished(() => void server.close());
  const answers = await Promise.all(
    ["/metrics", "/healthz"].flatMap((path) =>
      ["wrong", "right"].map(async (key) => {
        const answer = await fetch(url + path, { headers: { "x-api-key": key } });
        return [path, key, answer.status, answer.headers.get("www-authenticate")];
      }),
    ),
  );
  expect(answers).toEqual([
    ["/metrics", "wrong", 401, "Bearer"],
    ["/metrics", "right", 200, null],
    ["/healthz", "wrong", 200, null],
    ["/healthz", "right", 200, null],
  ]);
});
