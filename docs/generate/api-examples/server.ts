import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256Hex } from "../../../base/text/digest.ts";
import { loadConfig } from "../../../cmd/config/config.ts";
import { startServer } from "../../../cmd/serve/server.ts";
import { definitions, now } from "../query-language/data.ts";

/** The credentials of the examples. */
export const key = "engage_an-example-of-a-key";
export const token = "an-example-of-a-query-token";
export const secret = "an-example-of-a-secret";
export const appid = "demo-app";

/** Starts a server for the examples, and stops it after `work`. */
export async function withServer<T>(work: (url: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "engage-docs-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rmSync(folder, { recursive: true }));
  const platform = await openPlatform();
  opened.defer(() => platform.close());
  const file = join(folder, "engage.yaml");
  writeFileSync(file, JSON.stringify(settingsWith(platform.url)));
  const { config, locate, describe } = loadConfig({ env: {}, cwd: folder });
  const server = await startServer(config, {
    locate,
    describe,
    now: () => Date.parse(now),
    onShutdownRequest: () => undefined,
  });
  opened.defer(() => server.stop());
  return await work(server.address.url);
}

/** The format of the lines `{"ACCOUNTID":"ann","LOGTM":"2026-03-04 09:00:00","CODE":1001}`. */
const gameFormat = {
  name: "game",
  index: "game*.log",
  type: "json",
  required: ["ACCOUNTID", "LOGTM", "CODE"],
  mapping: {
    "#type": { value: "track" },
    "#account_id": "ACCOUNTID",
    "#time": "LOGTM",
    "#event_name": "event_{CODE}",
  },
  rest: "drop",
};

function settingsWith(platformUrl: string): object {
  return {
    listen: "127.0.0.1:0",
    data: "data",
    console: false,
    log: { level: "error" },
    auth: { keys: [{ name: "operator", sha256: sha256Hex(key) }] },
    projects: [
      { id: 1, appids: [appid], ...definitions },
      { id: 2, engine: "platform" },
    ],
    analysis: {
      tokens: [{ name: "dashboard", token, projects: [1, 2] }],
      platform: { baseUrl: platformUrl, token: "a-token-of-the-platform", paths: ["retention-analyze"] },
    },
    events: { batch: { maxDelayMs: 10 }, engine: { threads: 2, maxWaiting: 1_000 } },
    webhook: {
      channels: {
        demo: { secrets: [{ value: secret }], targets: ["consumer"], pushId: { pattern: "[a-z0-9-]+" } },
      },
      targets: { consumer: { kind: "pull" } },
      clicks: { appid },
    },
    channel: { outbound: { allow: ["127.0.0.0/8"] } },
    parser: { separator: ":ta:", formats: [gameFormat] },
  };
}

/** A deployment of the platform, which answers one query. */
async function openPlatform(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const data = { x: ["2026-03-03", "2026-03-04"], y: [{ retention: ["50%", "50%"] }] };
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ return_code: 0, return_message: "success", data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
