import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../../cmd/config/config.ts";
import { type RunningServer, startServer } from "../../../cmd/serve/server.ts";
import { type BrowserPage, type Chromium, openChromium } from "./chromium.ts";
import { report, submitForm } from "./in-page.js";

/** Serves an empty page under every name. */
const pages = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>page</title>");
});

/** A service on this machine that a page must not reach through the server: notes what comes. */
const reached: string[] = [];
const other = createServer((request, response) => {
  reached.push(request.url ?? "");
  response.end('{"return_code":0}');
});

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

let chromium: Chromium;
let engage: RunningServer;
let url = "";
let pagesPort = 0;
let otherPort = 0;

beforeAll(async () => {
  pagesPort = await listen(pages);
  otherPort = await listen(other);
  const env = {
    ENGAGE_LISTEN: "127.0.0.1:0",
    ENGAGE_LOG_LEVEL: "silent",
    ENGAGE_DATA: mkdtempSync(join(tmpdir(), "engage-")),
    ENGAGE_GATEWAY_CORS: `["http://app.example:${pagesPort}"]`,
  };
  engage = await startServer(loadConfig({ env, cwd: process.cwd() }).config);
  url = engage.address.url;
  chromium = await openChromium();
});
afterAll(async () => {
  await chromium[Symbol.asyncDispose]();
  await engage.stop();
  pages.close();
  other.close();
});

async function pageOf(name: string): Promise<BrowserPage> {
  const page = await chromium.newPage();
  await page.goto(`http://${name}:${pagesPort}/`);
  return page;
}

/** The result that a page can read: the status with the text, or nothing. */
interface Call {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** Sent as a Blob of this type. */
  readonly body?: { readonly text: string; readonly type: string };
  readonly mode?: "no-cors";
}

function call(page: BrowserPage, request: Call): Promise<string> {
  return page.evaluate(async ({ body, url: target, ...init }) => {
    try {
      const blob = body && new Blob([body.text], { type: body.type });
      const answer = await fetch(target, { ...init, ...(blob && { body: blob }) });
      return `${answer.type} ${answer.status} ${await answer.text()}`;
    } catch {
      return "nothing";
    }
  }, request);
}

/** A call that makes the server call the other service. */
const testOf = (type: string): Call => ({
  url: `${url}/v1/channels:test`,
  method: "POST",
  body: {
    type,
    text: JSON.stringify({
      pushId: "u1",
      channel: {
        name: "page",
        projectId: 1,
        pushIdProperty: "mail",
        url: `http://127.0.0.1:${otherPort}/stolen`,
        delivery: { batchSize: 1 },
        contentTemplate: [],
      },
    }),
  },
});

describe("a page of another site", () => {
  test.each(["", "text/plain", "application/json", "application/x-www-form-urlencoded"])(
    "causes nothing by a body of type %j",
    async (type) => {
      const page = await pageOf("evil.example");
      expect(await call(page, testOf(type))).toBe("nothing");
      expect(await call(page, { ...testOf(type), mode: "no-cors" })).toMatch(/^(?:opaque 0 |nothing)$/);
      expect(reached).toEqual([]);
    },
  );

  test("causes nothing by a form, either", async () => {
    const page = await pageOf("evil.example");
    await page.evaluate(submitForm, { action: `${url}/v1/channels:test` });
    expect(reached).toEqual([]);
  });

  test.each([
    "/metrics",
    "/openapi.json",
    "/docs",
    "/docs/",
    "/docs/search.json",
    "/readyz",
    "/",
    "/v1/channels",
    "/v1/webhook/stats",
    "/grpc.health.v1.Health/Check?encoding=json&message=%7B%7D",
    "/nothing",
  ])("reads nothing of %s", async (path) => {
    const page = await pageOf("evil.example");
    expect(await call(page, { url: url + path })).toBe("nothing");
    expect(await call(page, { url: url + path, mode: "no-cors" })).toMatch(/^(?:opaque 0 |nothing)$/);
    expect(await call(page, { url: url + path, headers: { "x-api-key": "a" } })).toBe("nothing");
  });

  test("reads nothing by a name of its own that leads here", async () => {
    const page = await chromium.newPage();
    const answer = await page.goto(`http://evil.example:${engage.address.port}/metrics`);
    expect([answer?.status(), await page.content()]).toEqual([421, expect.not.stringContaining("engage_")]);
  });
});

describe("a page of the server's own", () => {
  test.each(["127.0.0.1", "localhost", "engage.localhost"])(
    "at %s shows the API and calls it",
    async (host) => {
      const page = await chromium.newPage();
      const answer = await page.goto(`http://${host}:${engage.address.port}/docs`);
      expect(answer?.status()).toBe(200);
      expect(await call(page, { url: "/v1/webhook/stats" })).toMatch(/^basic 200 \{/);
      const headers = { "content-type": "application/json" };
      const body = { text: "{}", type: "application/json" };
      expect(
        await call(page, { url: "/grpc.health.v1.Health/Check", method: "POST", headers, body }),
      ).toMatch(/^basic 200 .*SERVING/);
    },
  );
});

test("the call that pages of others try does reach the other service from a page of the server's own", async () => {
  const page = await chromium.newPage();
  await page.goto(`${url}/docs`);
  expect(await call(page, testOf("application/json"))).toMatch(/^basic 200 /);
  expect(reached).toEqual(["/stolen"]);
});

describe("a page with the SDK", () => {
  test("reports from any site and reads the answer", async () => {
    const page = await pageOf("shop.example");
    const record = {
      "#type": "track",
      "#event_name": "seen",
      "#distinct_id": "d",
      "#time": "2026-01-01 00:00:00.000",
      properties: {},
    };
    const answers = await page.evaluate(report, {
      target: url,
      record: JSON.stringify({ "#app_id": "demo-app", data: [record] }),
    });
    expect(answers).toEqual(['200 {"code":0}', '200 {"code":0}', 200, 200]);
  });
});

describe("a page of an origin in gateway.cors", () => {
  test("calls REST and Connect", async () => {
    const page = await pageOf("app.example");
    expect(await call(page, { url: `${url}/v1/webhook/stats` })).toMatch(/^cors 200 \{/);
    const headers = { "content-type": "application/json", "connect-protocol-version": "1" };
    const body = { text: "{}", type: "application/json" };
    expect(
      await call(page, { url: `${url}/grpc.health.v1.Health/Check`, method: "POST", headers, body }),
    ).toMatch(/^cors 200 .*SERVING/);
  });

  test("calls gRPC-Web, and reads the status of a call that fails", async () => {
    const page = await pageOf("app.example");
    const answer = await page.evaluate(
      async ({ target }) => {
        const headers = {
          "content-type": "application/grpc-web+proto",
          "x-grpc-web": "1",
          "grpc-timeout": "5S",
        };
        const body = new Uint8Array(5);
        const right = await fetch(`${target}/grpc.health.v1.Health/Check`, { method: "POST", headers, body });
        const bytes = new Uint8Array(await right.arrayBuffer());
        const wrong = await fetch(`${target}/grpc.health.v1.Nope/Nope`, { method: "POST", headers, body });
        return [right.status, bytes[0], wrong.headers.get("grpc-status"), wrong.headers.get("grpc-message")];
      },
      { target: url },
    );
    expect(answer).toEqual([200, 0, "12", expect.stringContaining("Nope")]);
  });
});
