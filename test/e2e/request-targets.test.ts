import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../cmd/config/config.ts";
import { type RunningServer, startServer } from "../../cmd/serve/server.ts";
import { openGatewayForTest } from "../gateway/gateway-server.ts";
import { sendHttp1, sendHttp2, sendTcp } from "./raw.ts";

let server: RunningServer;
let port = 0;
beforeAll(async () => {
  const env = {
    ENGAGE_LISTEN: "127.0.0.1:0",
    ENGAGE_LOG_LEVEL: "silent",
    ENGAGE_DATA: mkdtempSync(join(tmpdir(), "engage-")),
  };
  server = await startServer(loadConfig({ env, cwd: process.cwd() }).config);
  ({ port } = server.address);
});
afterAll(() => server.stop());

const json = { "content-type": "application/json", "content-length": "2" };

describe("a target that is a whole URL", () => {
  test.each([
    ["POST http://x/webhook/demo", json, "[]", 401],
    ["POST HTTPS://x:8443/webhook/demo", json, "[]", 401],
    ["POST http://localhost/proto.Parser/Parse", json, "{}", 200],
    ["GET http://localhost/v1/webhook/stats?x_=1", {}, "", 400],
    ["GET http://localhost/v1/webhook/stats", {}, "", 200],
    ["GET http://localhost", {}, "", 200],
    ["GET http://localhost?a=b", {}, "", 200],
    ["GET http://[::1]:1/healthz#part", {}, "", 200],
    // It stands above the header, also in what it must not do.
    ["GET http://evil.example/metrics", {}, "", 421],
    ["GET http://user@localhost/healthz", {}, "", 400],
    ["GET http:///healthz", {}, "", 400],
    ["GET ftp://localhost/healthz", {}, "", 400],
    ["GET http://[/healthz", {}, "", 400],
  ])("%s", async (line, headers, body, status) => {
    expect((await sendHttp1(port, line, headers, body)).status).toBe(status);
  });
});

describe("a host that is not valid is 400, and no fault of the server", () => {
  test.each(["[", "[]", "a b", "localhost, localhost", "user@localhost", "a:99999", "1.2.3.256", "%zz", ""])(
    "%j",
    async (host) => {
      const gateway = await openGatewayForTest();
      for (const line of ["GET /healthz", "POST /engage.test.v1.Library/Watch", "POST /v1/echo"]) {
        const type = { "content-type": "application/connect+json" };
        const answer = await sendHttp1(gateway.port, line, { ...type, host });
        expect([line, answer.status]).toEqual([line, 400]);
      }
      expect(gateway.faults).toEqual([]);
    },
  );

  test.each(["host: localhost\r\nHost: localhost\r\n", "HOST: localhost\r\nx: y\r\nhost: evil.example\r\n"])(
    "%j",
    async (hosts) => {
      const answer = await sendTcp(port, `GET /healthz HTTP/1.1\r\n${hosts}connection: close\r\n\r\n`);
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 .*the request has 2 host headers, valid is one/s);
    },
  );

  test("HTTP/1.0 needs none", async () => {
    expect((await sendTcp(port, "GET /healthz HTTP/1.0\r\n\r\n")).toString()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("HTTP/2 may not say two things", async () => {
    const headers = { ":method": "GET", ":path": "/healthz", ":authority": "localhost", host: "127.0.0.1" };
    expect((await sendHttp2(server.address.url, headers)).status).toBe(400);
  });
});

describe("another HTTP method than the path has", () => {
  test.each([
    ["GET /proto.Parser/Parse", 405, "OPTIONS, POST"],
    ["PUT /proto.Parser/Parse", 405, "OPTIONS, POST"],
    ["HEAD /engage.parser.v1.ParserStream/ParseLines", 405, "OPTIONS, POST"],
    ["OPTIONS /proto.Parser/Parse", 204, "OPTIONS, POST"],
    ["OPTIONS *", 204, "DELETE, GET, HEAD, OPTIONS, POST, PUT"],
    ["DELETE /v1/webhook/stats", 405, "GET, HEAD, OPTIONS"],
    ["GET /open/event-analyze", 200, "OPTIONS, POST"],
    ["DELETE /open/streaming-download/event-analyze", 200, "OPTIONS, POST"],
    ["GET /open/funnel-analyze", 200, "OPTIONS, POST"],
    ["DELETE /metrics", 405, "GET, HEAD"],
  ])("%s", async (line, status, allow) => {
    const answer = await sendHttp1(port, line, {});
    expect([answer.status, answer.headers["allow"]]).toEqual([status, allow]);
  });

  test("is reported in the envelope of the platform's API", async () => {
    expect(JSON.parse((await sendHttp1(port, "GET /open/event-analyze", {})).body.toString())).toEqual({
      return_code: -1001,
      return_message: "method GET is not served at /open/event-analyze, valid are OPTIONS, POST",
    });
  });
});

test.each(["GET", "PUT", "DELETE", "PATCH"])(
  "%s of an unknown query says which there are",
  async (method) => {
    const { headers, body } = await sendHttp1(port, `${method} /open/nothing`, {});
    expect(headers["allow"]).toBe("OPTIONS, POST");
    expect(body.toString()).toContain(
      "; routes there are POST /open/event-analyze, POST /open/event-user-list, POST /open/streaming-download/event-analyze, POST /open/streaming-download/event-user-list",
    );
  },
);

describe("where nothing is", () => {
  test.each([
    ["GET /v1/chanels", "/v1/channels"],
    ["GET /v1/chanels/c1", "/v1/channels/{channel_id}"],
    ["POST /webhooks/demo", "/webhook/{channel}"],
    ["POST /proto.Parser/Prase", "/proto.Parser/Parse"],
    ["POST /sync_sever", "/sync_server"],
  ])("%s is answered with the nearest path, %s", async (line, nearest) => {
    const { status, body } = await sendHttp1(port, line, {});
    expect([status, JSON.parse(body.toString())]).toEqual([
      404,
      {
        code: 5,
        message: expect.stringContaining(
          `, the nearest is ${nearest}: / lists what is, and /docs describes it`,
        ),
        details: [],
      },
    ]);
  });

  test("a path like no other has no nearest", async () => {
    const { body } = await sendHttp1(port, `GET /${"x".repeat(8_000)}`, {});
    expect(body.length).toBeLessThan(400);
    expect(body.toString()).toContain("…: / lists what is");
  });

  test("a query that is not served says which are", async () => {
    const line = "POST /open/funnel-analyze?token=demo-token";
    const { status, body } = await sendHttp1(port, line, json, "{}");
    expect(status).toBe(404);
    expect(JSON.parse(body.toString())).toMatchObject({
      return_code: -1001,
      return_message: expect.stringMatching(
        /^nothing is served at "\/open\/funnel-analyze", valid are .*\/open\/event-analyze/,
      ),
    });
  });
});

describe("/", () => {
  test("lists what is served", async () => {
    const { status, headers, body } = await sendHttp1(port, "GET /", {});
    expect([status, headers["content-type"]]).toEqual([200, "application/json"]);
    expect(JSON.parse(body.toString())).toMatchObject({
      pages: ["/console/", "/docs", "/docs/", "/healthz", "/metrics", "/openapi.json", "/readyz"],
      rest: expect.arrayContaining(["POST /open/event-analyze", "GET /v1/channels"]),
      services: expect.arrayContaining(["proto.Parser", "grpc.health.v1.Health"]),
    });
  });

  test("leads browsers to the console", async () => {
    const { status, headers } = await sendHttp1(port, "GET /", { accept: "text/html,*/*;q=0.8" });
    expect([status, headers["location"]]).toEqual([303, "console/"]);
  });
});
