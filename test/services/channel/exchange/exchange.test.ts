import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createOutbound } from "../../../../base/net/outbound.ts";
import type { BodyWriting, ExchangeOutcome } from "../../../../services/channel/exchange/exchange.ts";
import { createExchange } from "../../../../services/channel/exchange/exchange.ts";
import { openRawServer } from "../../../cmd/raw-server.ts";

interface CallOptions {
  readonly allow?: readonly string[];
  readonly signal?: AbortSignal;
  readonly writing?: BodyWriting;
}

async function call(
  url: string,
  { allow = ["127.0.0.0/8"], signal = new AbortController().signal, writing }: CallOptions = {},
): Promise<ExchangeOutcome> {
  using open = createExchange({
    url,
    maxConnections: 1,
    maxResponseBytes: 10,
    outbound: createOutbound({ allow, setting: "--allow" }),
  });
  return await open.exchange({
    headers: { "content-type": "application/json", "x-own": "1" },
    body: Buffer.from("[1,2,3]"),
    signal,
    ...(writing && { writing }),
  });
}

const whole = (received: string): boolean => received.endsWith("[1,2,3]");
const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

describe("what comes back", () => {
  const table: [name: string, bytes: string, outcome: object][] = [
    ["an answer", `${head}Content-Length: 2\r\n\r\n{}`, { kind: "response", status: 200, text: "{}" }],
    [
      "a long answer",
      `${head}Content-Length: 11\r\n\r\n${"x".repeat(11)}`,
      { kind: "response", text: "x".repeat(10), isTruncated: true },
    ],
    [
      "a redirect",
      "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n",
      { kind: "response", status: 302, headers: { location: "/there" } },
    ],
    [
      "another protocol",
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\nhello",
      { kind: "response", status: 101, headers: { upgrade: "other" }, text: "" },
    ],
    [
      "a cut answer",
      `${head}Content-Length: 9\r\n\r\n{"re`,
      { kind: "cut", message: "response was cut after 4 bytes of its body" },
    ],
    ["a cut chunk", `${head}Transfer-Encoding: chunked\r\n\r\n9\r\n{"re`, { kind: "cut" }],
    ["a wrong chunk", `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}`, { kind: "not_http" }],
    ["no HTTP", "220 ready\r\n", { kind: "not_http" }],
    ["nothing", "", { kind: "connection", message: expect.stringContaining("the connection was closed") }],
  ];
  test.each(table)("%s", async (_name, bytes, outcome) => {
    const { url } = await openRawServer(whole, (socket) => socket.end(bytes));
    expect(await call(url)).toMatchObject(outcome);
  });

  test("the request is a POST of the bytes", async () => {
    const server = await openRawServer(whole, (socket) => socket.end(`${head}Content-Length: 2\r\n\r\n{}`));
    await call(server.url);
    expect(server.received()).toMatch(/^POST \/hook\?a=b HTTP\/1\.1\r\n(?:.*\r\n)*x-own: 1\r\n/);
  });
});

describe("calls after the first one", () => {
  async function callAll(responds: readonly ("plain" | "after 100")[]): Promise<readonly string[]> {
    let calls = 0;
    const server = createServer((request, response) => {
      if (responds[calls++] === "after 100") response.writeContinue();
      request.resume().once("end", () => response.end("{}"));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const outbound = createOutbound({ allow: ["127.0.0.0/8"] });
    using open = createExchange({ url, outbound, maxConnections: 1, maxResponseBytes: 10 });
    const { signal } = new AbortController();
    const kinds: string[] = [];
    for (const _ of responds) {
      kinds.push((await open.exchange({ headers: {}, body: Buffer.from("[]"), signal })).kind);
    }
    return kinds;
  }

  test.each<[responds: readonly ("plain" | "after 100")[], kinds: readonly string[]]>([
    [
      ["plain", "plain", "plain"],
      ["response", "response", "response"],
    ],
    [
      ["after 100", "after 100", "plain"],
      ["response", "response", "response"],
    ],
    // The receiver is known to send such responses after that.
    [
      ["plain", "after 100", "after 100"],
      ["response", "connection", "response"],
    ],
  ])("%j", async (responds, kinds) => {
    expect(await callAll(responds)).toEqual(kinds);
  });
});

describe("calls without an answer", () => {
  test("end by a timeout or because the caller gave up", async () => {
    const { url } = await openRawServer(whole, () => undefined);
    const signals = [AbortSignal.timeout(50), AbortSignal.abort()];
    const outcomes = await Promise.all(signals.map((signal) => call(url, { signal })));
    expect(outcomes.map(({ kind }) => kind)).toEqual(["timeout", "cancelled"]);
  });

  test("say what to allow", async () => {
    expect(await call("http://127.0.0.1:9/", { allow: [] })).toEqual({
      kind: "refused_address",
      message: 'address 127.0.0.1 is not public, add "127.0.0.1:9" or a network to --allow',
    });
  });

  test("find no receiver", async () => {
    expect(await call("http://127.0.0.1:1/")).toMatchObject({
      kind: "connection",
      message: "connection refused by 127.0.0.1:1",
    });
  });
});

describe("bodies written unusually", () => {
  test("slowly, and whole", async () => {
    const server = await openRawServer(whole, (socket) => socket.end(`${head}Content-Length: 2\r\n\r\n{}`));
    const outcome = await call(server.url, { writing: { bytesPerSecond: 30 } });
    expect(outcome).toMatchObject({ kind: "response", text: "{}" });
  });

  test("cut", async () => {
    const server = await openRawServer(whole, () => undefined);
    const outcome = await call(server.url, { writing: { stopAfterBytes: 3 } });
    expect(outcome).toEqual({
      kind: "connection",
      message: "connection closed after 3 bytes, as configured",
    });
    await expect.poll(server.received).toMatch(/content-length: 7\r\n(?:.*\r\n)*\r\n\[1,$/);
  });

  test("are answered by another protocol", async () => {
    const { url } = await openRawServer(
      (received) => received.endsWith("["),
      (socket) => socket.write("HTTP/1.1 101 Go On\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n"),
    );
    const outcome = await call(url, { writing: { bytesPerSecond: 10 } });
    expect(outcome).toMatchObject({ kind: "response", status: 101 });
  });

  test("are answered before their end", async () => {
    const { url } = await openRawServer(
      (received) => received.endsWith("["),
      (socket) => socket.end("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"),
    );
    const outcome = await call(url, { writing: { bytesPerSecond: 10 } });
    expect(outcome).toMatchObject({ kind: "response", status: 413 });
  });
});
