import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ReceivedResponse } from "../../../base/net/http-client.ts";
import { KeptConnections } from "../../../base/net/kept-connections.ts";
import { createOutbound } from "../../../base/net/outbound.ts";
import { createIdentity } from "../../cmd/config/certificate.ts";
import { openRawServer } from "../../cmd/raw-server.ts";

const body = Buffer.from("[1,2,3]");
const whole = (received: string): boolean => received.endsWith("[1,2,3]");

function open(url: string, { allow = ["127.0.0.0/8"], maxConnections = 1, tls = {} } = {}): KeptConnections {
  const outbound = createOutbound({ allow, setting: "--allow" });
  const connections = new KeptConnections({ url, outbound, maxConnections, maxResponseBytes: 10, tls });
  onTestFinished(() => connections[Symbol.dispose]());
  return connections;
}

function post(
  connections: KeptConnections,
  signal: AbortSignal = new AbortController().signal,
): Promise<ReceivedResponse> {
  return connections.post({ headers: { "content-type": "application/json", "X-Own": "1" }, body, signal });
}

async function openServer(answer: RequestListener, tls?: { cert: string; key: string }) {
  let [sockets, open, most] = [0, 0, 0];
  const listener: RequestListener = (request, response) => {
    most = Math.max(most, ++open);
    response.once("close", () => open--);
    request.resume().once("end", () => answer(request, response));
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.on("connection", () => sockets++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const scheme = tls === undefined ? "http" : "https";
  return {
    url: `${scheme}://127.0.0.1:${port}/hook?a=b`,
    counts: () => ({ sockets, most }),
  };
}

const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

describe("a response", () => {
  const table: [name: string, bytes: string, response: object][] = [
    ["of a length", `${head}Content-Length: 2\r\n\r\n{}`, { status: 200, text: "{}", isTruncated: false }],
    ["in chunks", `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, { text: "{}" }],
    ["to the end of the connection", `${head}Connection: close\r\n\r\n{}`, { text: "{}" }],
    ["beyond the limit", `${head}Content-Length: 11\r\n\r\n${"x".repeat(11)}`, { isTruncated: true }],
    [
      "after another one",
      `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${head}Content-Length: 2\r\n\r\n{}`,
      { status: 200, text: "{}" },
    ],
    [
      "in an unknown encoding",
      `${head}Content-Encoding: x\r\nContent-Length: 2\r\n\r\n{}`,
      { text: "", bodyFault: expect.stringContaining('"x"') },
    ],
    [
      "with headers",
      "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n",
      { status: 302, headers: { location: "/there" }, text: "" },
    ],
  ];
  test.each(table)("%s", async (_name, bytes, response) => {
    const server = await openRawServer(whole, (socket) => socket.end(bytes));
    expect(await post(open(server.url))).toMatchObject(response);
    expect(server.received()).toMatch(/^POST \/hook\?a=b HTTP\/1\.1\r\n(?:.*\r\n)*X-Own: 1\r\n/);
    expect(server.received()).toMatch(/\r\ncontent-length: 7\r\n/);
  });
});

describe("a call fails", () => {
  const table: [name: string, bytes: string, error: object][] = [
    [
      "within a body of a length",
      `${head}Content-Length: 9\r\n\r\n{"re`,
      { name: "IncompleteResponseError", message: "response was cut after 4 bytes of its body" },
    ],
    [
      "within a body of a length that ends the connection",
      `${head}Connection: close\r\nContent-Length: 9\r\n\r\n{"re`,
      { name: "IncompleteResponseError", cause: { code: "ECONNRESET" } },
    ],
    [
      "within a chunk",
      `${head}Transfer-Encoding: chunked\r\n\r\n9\r\n{"re`,
      { name: "IncompleteResponseError", cause: { code: "ECONNRESET" } },
    ],
    [
      "within a chunk that ends the connection",
      `${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"re`,
      { name: "IncompleteResponseError", cause: { code: "ECONNRESET" } },
    ],
    [
      "at a wrong chunk",
      `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}`,
      { name: "IncompleteResponseError", cause: { code: expect.stringMatching(/^HPE_/) } },
    ],
    ["without HTTP", "220 ready\r\n", { code: expect.stringMatching(/^HPE_/) }],
    ["with long headers", `${head}X: ${"x".repeat(100_000)}\r\n\r\n`, { code: "HPE_HEADER_OVERFLOW" }],
    ["without a response", "", { code: "ECONNRESET" }],
    ["at 100", `HTTP/1.1 100 Continue\r\n\r\n${head}\r\n`, { name: "UnusualResponseError" }],
    [
      "at 101",
      "HTTP/1.1 101 Go On\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n",
      { name: "UnusualResponseError" },
    ],
  ];
  test.each(table)("%s", async (_name, bytes, error) => {
    const { url } = await openRawServer(whole, (socket) => socket.end(bytes));
    await expect(post(open(url))).rejects.toMatchObject(error);
  });

  test("without a server, and to an address that is not allowed", async () => {
    await expect(post(open("http://127.0.0.1:1/"))).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await expect(post(open("http://127.0.0.1:1/", { allow: [] }))).rejects.toMatchObject({
      name: "OutboundRefusedError",
    });
  });

  test("when its signal is aborted, and the next one goes on", async () => {
    const answers: (() => void)[] = [];
    const { url } = await openServer((_request, response) => answers.push(() => response.end("{}")));
    const connections = open(url);
    const controllers = [new AbortController(), new AbortController(), new AbortController()];
    const [first, second, third] = controllers.map(({ signal }) => post(connections, signal));
    await expect.poll(() => answers.length).toBe(1);
    // The second call waits for the connection of the first.
    controllers[1]!.abort(new Error("second"));
    await expect(second).rejects.toThrow("second");
    controllers[0]!.abort(new Error("first"));
    await expect(first).rejects.toThrow("first");
    await expect.poll(() => answers.length).toBe(2);
    answers[1]!();
    expect(await third).toMatchObject({ status: 200, text: "{}" });
    await expect(post(connections, AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
  });

  test("when its signal is aborted while it waits, and the connection is kept", async () => {
    const answers: (() => void)[] = [];
    const sockets = new Set<unknown>();
    const { url } = await openServer((request, response) => {
      sockets.add(request.socket);
      answers.push(() => response.end("{}"));
    });
    const connections = open(url);
    const first = post(connections);
    const controller = new AbortController();
    const second = post(connections, controller.signal);
    const third = post(connections);
    await expect.poll(() => answers.length).toBe(1);
    controller.abort(new Error("second"));
    await expect(second).rejects.toThrow("second");
    answers[0]!();
    await first;
    await expect.poll(() => answers.length).toBe(2);
    answers[1]!();
    await third;
    expect(sockets.size).toBe(1);
  });

  test("when the connections are closed", async () => {
    let calls = 0;
    const { url } = await openServer(() => calls++);
    const connections = open(url);
    const call = post(connections);
    await expect.poll(() => calls).toBe(1);
    connections[Symbol.dispose]();
    await expect(call).rejects.toMatchObject({ code: "ECONNRESET" });
  });
});

describe("the body", () => {
  async function isTaken(body: Buffer, answer: RequestListener): Promise<boolean> {
    const server = createServer(answer);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    let taken = false;
    const bodyTaken = (): void => {
      taken = true;
    };
    const { port } = server.address() as AddressInfo;
    const connections = open(`http://127.0.0.1:${port}/`);
    const { signal } = new AbortController();
    expect(await connections.post({ headers: {}, body, bodyTaken, signal })).toMatchObject({ status: 200 });
    return taken;
  }

  test("is taken when the server has read it", async () => {
    const answer: RequestListener = (request, response) => {
      request.resume().once("end", () => response.end("{}"));
    };
    expect(await isTaken(Buffer.alloc(20_000_000), answer)).toBe(true);
  });

  test("is taken once, before the response", async () => {
    const answers: (() => void)[] = [];
    const { url } = await openServer((_request, response) => answers.push(() => response.end("{}")));
    let taken = 0;
    const bodyTaken = (): number => taken++;
    const { signal } = new AbortController();
    const call = open(url).post({ headers: {}, body, bodyTaken, signal });
    await expect.poll(() => answers.length).toBe(1);
    expect(taken).toBe(1);
    answers[0]!();
    await call;
    expect(taken).toBe(1);
  });

  test("is not taken when the server answers before that", async () => {
    const answer: RequestListener = (_request, response) => response.end("{}");
    expect(await isTaken(Buffer.alloc(20_000_000), answer)).toBe(false);
  });
});

describe("connections", () => {
  test("are kept, and no more than the limit", async () => {
    const answers: (() => void)[] = [];
    const { url, counts } = await openServer((_request, response) => {
      answers.push(() => response.end("{}"));
      // Each three calls are answered when all of them have come.
      if (answers.length === 3) for (const answer of answers.splice(0)) answer();
    });
    const connections = open(url, { maxConnections: 3 });
    const responses = await Promise.all(Array.from({ length: 21 }, () => post(connections)));
    expect(responses.every(({ text }) => text === "{}")).toBe(true);
    expect(counts()).toEqual({ sockets: 3, most: 3 });
  });

  test("are opened again after the server has closed them", async () => {
    const { url, counts } = await openServer((_request, response) => {
      response.setHeader("connection", "close").end("{}");
    });
    const connections = open(url);
    for (let i = 0; i < 3; i++) expect(await post(connections)).toMatchObject({ text: "{}" });
    expect(counts().sockets).toBe(3);
  });

  test("use TLS and check the certificate", async () => {
    const { cert, key } = createIdentity();
    const { url } = await openServer((_request, response) => response.end("{}"), { cert, key });
    expect(await post(open(url, { tls: { ca: cert } }))).toMatchObject({ status: 200, text: "{}" });
    await expect(post(open(url))).rejects.toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  });
});
