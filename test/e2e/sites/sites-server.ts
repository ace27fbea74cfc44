import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { loadConfig } from "../../../cmd/config/config.ts";
import { type RunningServer, startServer } from "../../../cmd/serve/server.ts";
import { envelope, type RawAnswer, sendHttp1 } from "../raw.ts";

export type Headers = Readonly<Record<string, string | undefined>>;

export const shop = "https://shop.example";
export const evil = "https://evil.example";
export const json = { "content-type": "application/json" };
export const grpcWeb = { "content-type": "application/grpc-web+proto" };
export const grpc = { "content-type": "application/grpc", te: "trailers" };
export const check = "/grpc.health.v1.Health/Check";
export const getStats = "/engage.webhook.v1.WebhookReceiver/GetStats";
export const infoRequest = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

export interface SitesServer {
  readonly url: string;
  /** Sends a request over HTTP/1.1 whose `host` is `localhost` unless given. */
  send(line: string, headers: Headers, body?: string): Promise<RawAnswer>;
}

/** Serves during the tests of the file or `describe` that calls this. */
export function serveSites(env: Readonly<Record<string, string>> = {}): SitesServer {
  let server: RunningServer;
  beforeAll(async () => {
    server = await start(env);
  });
  afterAll(() => server.stop());
  return {
    get url() {
      return server.address.url;
    },
    send(line, headers, body = "") {
      const length = body === "" ? undefined : String(body.length);
      const own = dropUndefined({ "content-length": length, ...headers });
      return sendHttp1(server.address.port, line, own, body);
    },
  };
}

async function start(env: Readonly<Record<string, string>>): Promise<RunningServer> {
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

function dropUndefined(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Requests that nothing authenticates: each reveals or does something. */
export const unauthenticated: readonly [line: string, headers: Headers, body: string, plainStatus: number][] =
  [
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
