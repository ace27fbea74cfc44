import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { healthTls, healthUrl } from "../../../cmd/client/server-call.ts";
import { checkHealth, runHealth } from "../../../cmd/health/health.ts";
import { startServer } from "../../../cmd/serve/server.ts";
import { createIdentity } from "../config/certificate.ts";
import { folderWith, loadText } from "../config/load.ts";

const identity = createIdentity();
const pems = { "c.pem": identity.cert, "k.pem": identity.key };

const urls = [
  ["listen: 127.0.0.1:8080", "http://127.0.0.1:8080/readyz"],
  ['listen: "[::1]:8080"', "http://[::1]:8080/readyz"],
  ["listen: 0.0.0.0:81\nauth: { mode: off }", "http://127.0.0.1:81/readyz"],
  ['listen: "[::]:81"\nauth: { mode: off }', "http://[::1]:81/readyz"],
  ["listen: localhost:81\ntls: { cert: c.pem, key: k.pem }", "https://localhost:81/readyz"],
] as const;

test.each(urls)("%j is asked at %s", (yaml, url) => {
  expect(healthUrl(loadText(yaml, {}, pems).config)).toBe(url);
});

const answering =
  (status: number): RequestListener =>
  (_, response) => {
    response.writeHead(status).end("{}");
  };
const silent: RequestListener = () => undefined;

async function serverWith(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answers = [
  [200, true],
  [204, true],
  [301, false],
  [404, false],
  [503, false],
] as const;

test.each(answers)("an answer of %i is healthy: %s", async (status, ok) => {
  const url = await serverWith(answering(status));
  expect(await checkHealth(url, 5000)).toEqual({ ok, detail: `${url} responded with ${status}` });
});

test("a service that does not answer in time is not healthy", async () => {
  const url = await serverWith(silent);
  expect(await checkHealth(url, 20)).toEqual({ ok: false, detail: `${url}: no response within 20 ms` });
});

test("one that cannot be reached is not healthy", async () => {
  expect(await checkHealth("http://127.0.0.1:1/readyz", 5000)).toEqual({
    ok: false,
    detail: "http://127.0.0.1:1/readyz: connection refused by 127.0.0.1:1: is the server running?",
  });
});

test("the command exits with 0 or 1, and complains where complaints go", async () => {
  const options = { env: {}, cwd: folderWith({ "engage.yaml": "listen: 127.0.0.1:1" }) };
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  expect(await runHealth(options, { timeout: 5000 }, streams)).toBe(1);
  expect(await textOf(streams.stderr.end())).toContain("connection refused");
  const url = await serverWith(answering(200));
  expect(await runHealth(options, { url, timeout: 5000 }, streams)).toBe(0);
  expect(await textOf(streams.stdout.end())).toBe(`${url} responded with 200\n`);
});

const secured = [
  ["plain text", ""],
  ["TLS", "tls: { cert: c.pem, key: k.pem }"],
  ["TLS that asks callers for certificates", "tls: { cert: c.pem, key: k.pem, ca: c.pem }"],
] as const;

test.each(secured)(
  "a running service with %s is found healthy, and no longer once it stopped",
  async (_, tls) => {
    const yaml = `listen: 127.0.0.1:0\nlog: { level: silent }\n${tls}`;
    const { config } = loadText(yaml, { ENGAGE_DATA: folderWith({}) }, pems);
    const server = await startServer(config);
    onTestFinished(() => server.stop());
    const { host, port } = server.address;
    const actual = { ...config, listen: { host, port } };
    const ask = () => checkHealth(healthUrl(actual), 5000, healthTls(actual));
    expect(await ask()).toEqual({ ok: true, detail: `${healthUrl(actual)} responded with 200` });
    await server.stop();
    expect(await ask()).toMatchObject({ ok: false });
  },
);
