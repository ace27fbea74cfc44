import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { loadConfig } from "../../../cmd/config/config.ts";
import { type RunningServer, startServer } from "../../../cmd/serve/server.ts";
import { runEngage } from "../../cmd/run-engage.ts";
import { ParserClient } from "../../e2e/parser-client.ts";
import { freePort } from "../ports.ts";

/** The combined log that a real nginx writes of real requests, some of them odd. */
const folder = mkdtempSync(join(tmpdir(), "engage-nginx-"));
const log = join(folder, "access.log");
let server: RunningServer;
let lines: string[];

beforeAll(async () => {
  lines = await logOfRealRequests();
  const env = { ENGAGE_LISTEN: "127.0.0.1:0", ENGAGE_DATA: join(folder, "data"), ENGAGE_LOG_LEVEL: "silent" };
  server = await startServer(loadConfig({ env, cwd: folder }).config);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function logOfRealRequests(): Promise<string[]> {
  const port = await freePort();
  mkdirSync(join(folder, "html"));
  writeFileSync(join(folder, "html/index.html"), "hello");
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const config = `
daemon off; master_process off; error_log ${folder}/error.log; pid ${folder}/nginx.pid;
events {}
http { access_log ${log} combined; ${temp.join(" ")}
  server { listen 127.0.0.1:${port}; root ${folder}/html; } }`;
  writeFileSync(join(folder, "nginx.conf"), config);
  const nginx = spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf")], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(url), { timeout: 10_000 });
  await fetch(`${url}/missing?q=a%20b&c="quoted"`, {
    headers: { "user-agent": 'an "agent" \\ é', referer: "http://a/?b=c" },
  });
  await fetch(`${url}/`, { method: "POST", body: "x".repeat(1000) });
  await fetch(`${url}/`, { method: "HEAD", headers: { "user-agent": "" } });
  const socket = connect(port, "127.0.0.1").resume();
  socket.end("this is no HTTP\r\n\r\n");
  await once(socket, "close");
  const requests = 5;
  await vi.waitFor(() => expect(readFileSync(log, "utf8").split("\n").length).toBeGreaterThan(requests));
  const ended = once(nginx, "exit");
  nginx.kill("SIGQUIT");
  await ended;
  return readFileSync(log, "utf8").trimEnd().split("\n");
}

it("gets the same records by Parse and by engage parse", async () => {
  using client = new ParserClient(server.address.port);
  const items = (await client.parse(lines.map((line) => `access.log|ta|${line}`).join(":ta:")))
    .toString()
    .split(":ta:");
  const command = await runEngage(["parse", "--strict", log]);
  expect([command.code, command.stderr]).toEqual([0, expect.any(String)]);
  expect(command.stdout.trimEnd().split("\n")).toEqual(items);
  const records = items.map((item) => JSON.parse(item) as { properties: Record<string, unknown> });
  expect(records.length).toBe(lines.length);
  expect(records.every((record) => "#time" in record && "properties" in record)).toBe(true);
  const missing = records.find(({ properties }) => properties["status"] === 404);
  expect(missing).toMatchObject({
    "#type": "track",
    "#event_name": "http_request",
    "#distinct_id": "127.0.0.1",
  });
});
