import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../cmd/config/config.ts";
import { type RunningServer, startServer } from "../../../cmd/serve/server.ts";

/** Clients that npm does not have: python3-grpcio and curl, against the demo's configuration. */
const folder = mkdtempSync(join(tmpdir(), "engage-clients-"));
const descriptors = join(folder, "parser.binpb");
let server: RunningServer;

beforeAll(async () => {
  execFileSync("npx", [
    "buf",
    "build",
    "proto",
    "--path",
    "proto/proto/parser.proto",
    "--as-file-descriptor-set",
    "-o",
    descriptors,
  ]);
  const env = { ENGAGE_LISTEN: "127.0.0.1:0", ENGAGE_DATA: join(folder, "data"), ENGAGE_LOG_LEVEL: "silent" };
  server = await startServer(loadConfig({ env, cwd: process.cwd() }).config);
});
afterAll(() => server.stop());

const line =
  '{"#type":"track","#time":"2026-01-02 03:04:05.678","#event_name":"e","#account_id":"a","properties":{}}';
const content = `x.ta|ta|${line}:ta:x.ta|ta|not json`;
const answer = `${line}:ta:{}`;

const execute = promisify(execFile);

/** Not the synchronous call: the server lives in this process. */
async function run(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await execute(command, args, { encoding: "utf8", timeout: 30_000 });
  return stdout;
}

describe("python3-grpcio", () => {
  it("gets records back for each of several calls", async () => {
    const { port } = server.address;
    const output = await run(
      "/usr/bin/python3",
      join(import.meta.dirname, "parse.py"),
      `127.0.0.1:${port}`,
      descriptors,
      content,
      content,
    );
    expect(output).toBe(`${answer}\n${answer}\n`);
  });
});

describe.each([
  ["HTTP/1.1", "--http1.1"],
  ["HTTP/2 in plain text", "--http2-prior-knowledge"],
])("curl over %s", (_name, flag) => {
  it("calls Parse as Connect JSON", async () => {
    const body = JSON.stringify({ content: Buffer.from(content).toString("base64") });
    const output = await run(
      "curl",
      "-sS",
      flag,
      "-H",
      "content-type: application/json",
      "-d",
      body,
      `${server.address.url}/proto.Parser/Parse`,
    );
    expect(Buffer.from(JSON.parse(output).content, "base64").toString()).toBe(answer);
  });

  it("reads health, readiness and metrics", async () => {
    const { url } = server.address;
    expect(JSON.parse(await run("curl", "-sS", flag, `${url}/healthz`))).toEqual({ status: "ok" });
    expect(JSON.parse(await run("curl", "-sS", flag, `${url}/readyz`)).status).toBe("ready");
    expect(await run("curl", "-sS", flag, `${url}/metrics`)).toContain("engage_calls_total");
  });

  it("reads the whole answer to a request that is refused before its body is read", async () => {
    const refusals = Array.from({ length: 20 }, async () =>
      JSON.parse(await run("curl", "-sS", flag, "-d", "[]", `${server.address.url}/webhook/nobody`)),
    );
    for (const refusal of await Promise.all(refusals)) expect(refusal).toMatchObject({ return_code: 1 });
  });

  it("gets JSON for what does not exist", async () => {
    const output = await run(
      "curl",
      "-sS",
      flag,
      "-o",
      join(folder, "missing"),
      "-w",
      "%{http_code}",
      `${server.address.url}/missing`,
    );
    expect(output).toBe("404");
    expect(JSON.parse(readFileSync(join(folder, "missing"), "utf8")).code).toBe(5);
  });
});
