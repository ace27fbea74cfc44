import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { type ConfigOptions, loadConfig } from "../config/config.ts";
import { startServer } from "../serve/server.ts";
import { writeForeign } from "../terminal/terminal.ts";
import { demoSender, showChannel } from "./channel.ts";
import { demoProject, showEvents } from "./events.ts";
import { demoChannel, openDemoHandler } from "./handler.ts";
import { showDeadLetters, showParser } from "./parser.ts";
import type { Demo } from "./stage.ts";
import { showWebhook } from "./webhook.ts";

const secret = "demo-secret";

/** Starts a server, calls it as real clients do, prints the responses, and stops it. */
export async function runDemo(options: ConfigOptions, stdout: Writable): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "engage-demo-"));
  await using handler = await openDemoHandler();
  const overrides = {
    ENGAGE_LISTEN: "127.0.0.1:0",
    ENGAGE_DATA: folder,
    ENGAGE_LOG_LEVEL: "error",
    ...demoChannel(handler, secret),
    ...demoProject,
    ...demoSender,
  };
  const { config, locate } = loadConfig({ ...options, env: { ...options.env, ...overrides } });
  const server = await startServer(config, { logFd: 2, locate });
  const { url } = server.address;
  const sessionManager = new Http2SessionManager(url);
  const say = (text = ""): void => void writeForeign(stdout, `${text}\n`);
  try {
    say(`A server of its own on ${url}, its data in ${folder}.`);
    const demo = { url, config, say, transport: createGrpcTransport({ baseUrl: url, sessionManager }) };
    await showParser(demo);
    await showWebhook(demo, handler, secret);
    await showEvents(demo, Date.now());
    await showChannel(demo, handler, secret);
    await showOperation(demo);
    // Stopping the server writes the waiting records.
    await server.stop();
    await showDeadLetters(config, say);
  } finally {
    sessionManager.abort();
    await server.stop();
    await rm(folder, { recursive: true });
  }
  say("\nStopped. 'npm start' serves the same on http://127.0.0.1:8080 until you stop it.");
}

async function showOperation({ url, say }: Demo): Promise<void> {
  say("\n7. What the server tells those who run it\n");
  for (const path of ["/healthz", "/readyz"]) {
    const response = await fetch(url + path);
    say(`   GET ${path}  ${response.status} ${await response.text()}`);
  }
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const counted = /^engage_(parser|webhook|events?|analysis|channel)_\w+_total\b.* [1-9]/;
  say("   GET /metrics  of which those of the services:");
  const lines = metrics.split("\n").filter((line) => counted.test(line));
  for (const line of lines.toSorted()) say(`     ${line}`);
  say("   The reference of all calls is at /docs, its OpenAPI at /openapi.json.");
}
