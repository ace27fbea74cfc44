import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { loadConfig } from "../../../cmd/config/config.ts";
import { type RunningServer, startServer } from "../../../cmd/serve/server.ts";

/** python3-grpcio reports events and asks for them, against the demo's configuration. */
const folder = mkdtempSync(join(tmpdir(), "engage-analysis-clients-"));
const descriptors = join(folder, "engage.binpb");
let server: RunningServer;

beforeAll(async () => {
  execFileSync("npx", ["buf", "build", "proto", "--as-file-descriptor-set", "-o", descriptors]);
  const env = { ENGAGE_LISTEN: "127.0.0.1:0", ENGAGE_DATA: join(folder, "data"), ENGAGE_LOG_LEVEL: "silent" };
  server = await startServer(loadConfig({ env, cwd: process.cwd() }).config);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const execute = promisify(execFile);

async function run(script: string, ...args: readonly string[]): Promise<unknown> {
  const place = `127.0.0.1:${server.address.port}`;
  const all = [join(import.meta.dirname, script), place, descriptors, ...args];
  const { stdout } = await execute("/usr/bin/python3", all, { encoding: "utf8", timeout: 60_000 });
  return JSON.parse(stdout);
}

it("reports records, at once and as a stream", async () => {
  const fault = "is not valid, valid is a letter followed by at most 49 letters, digits and underscores";
  expect(await run("track.py")).toEqual({
    unary: { accepted: 3, refused: 1, messages: [`#event_name "log in" ${fault}`] },
    streamed: [
      [1, { accepted: 1, refused: 0, messages: [] }],
      [2, { accepted: 1, refused: 0, messages: [] }],
    ],
  });
  await vi.waitFor(
    async () => {
      const metrics = await (await fetch(`${server.address.url}/metrics`)).text();
      expect(metrics).toMatch(/loaded_records_total\{kind="event"\} 4\n/);
    },
    { timeout: 60_000, interval: 100 },
  );
});

it("gets numbers and users, at once and as streams, and reports of faults", async () => {
  const answers = await run("analyze.py", "demo-token");
  expect(answers).toEqual({
    return_code: 0,
    analyzed: [
      { Porto: [3], Köln: [1] },
      { Porto: [2], Köln: [1] },
    ],
    users: [
      ["ann", 7],
      ["cleo", null],
    ],
    pieces: ["header", "rows", "rows"],
    downloaded: [
      { Porto: [3], Köln: [1] },
      { Porto: [2], Köln: [1] },
    ],
    columns: ["#account_id", "level"],
    rows: [
      ["ann", 7],
      ["cleo", null],
    ],
    left: "CANCELLED",
    without_token: { code: "UNAUTHENTICATED", fields: [], return_code: "-1008" },
    without_events: { code: "INVALID_ARGUMENT", fields: ["events"], return_code: "-1001" },
    stream_without_token: { code: "UNAUTHENTICATED", fields: [], return_code: "-1008" },
  });
});
