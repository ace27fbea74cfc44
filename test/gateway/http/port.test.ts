import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import type { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { envelope, sendHttp1, sendTcp, untilClosed } from "../../e2e/raw.ts";
import { openGatewayForTest } from "../gateway-server.ts";
import {
  dial,
  emptySettings,
  getHealth,
  grpc,
  healthy,
  isServing,
  path,
  preface,
  untilMatch,
} from "./dial.ts";

describe("what a connection starts with", () => {
  test("the HTTP/2 preface in single bytes", async () => {
    const socket = dial(await openGatewayForTest());
    socket.setNoDelay(true);
    for (const byte of Buffer.concat([Buffer.from(preface), emptySettings])) {
      socket.write(Buffer.from([byte]));
      await turn();
    }
    const [settings] = (await once(socket, "data")) as [Buffer];
    expect(settings[3]).toBe(4);
  });

  test("an HTTP/1.1 request in single bytes", async () => {
    const socket = dial(await openGatewayForTest());
    socket.setNoDelay(true);
    for (const byte of Buffer.from(getHealth)) {
      socket.write(Buffer.from([byte]));
      await turn();
    }
    await untilMatch(socket, healthy);
  });

  test("a method that starts as the preface does", async () => {
    const { port } = await openGatewayForTest();
    const answer = await sendTcp(port, "PRI /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /);
  });

  test("PUT, which shares the first letter", async () => {
    const { port } = await openGatewayForTest();
    expect((await sendHttp1(port, "PUT /healthz", {})).status).toBe(405);
  });

  test.each([
    ["noise", Buffer.from([0xde, 0xad, 0xbe, 0xef, 0x0d, 0x0a, 0x0d, 0x0a])],
    ["a TLS hello", Buffer.from("160301003e0100003a0303", "hex")],
    ["a preface and noise", Buffer.concat([Buffer.from(preface), Buffer.alloc(100, 0xff)])],
    ["a huge frame", Buffer.concat([Buffer.from(preface), Buffer.from("ffffff000000000001", "hex")])],
  ])("%s ends the connection and not the server", async (_name, bytes) => {
    const server = await openGatewayForTest();
    await sendTcp(server.port, bytes);
    await isServing(server);
  });

  test("a connection that ends before it has said anything", async () => {
    const server = await openGatewayForTest();
    const socket = dial(server);
    const closed = untilClosed(socket);
    socket.end();
    await closed;
    await isServing(server);
  });
});

test("an HTTP/2 peer that has stopped sending is gone", async () => {
  const server = await openGatewayForTest();
  const socket = dial(server);
  const closed = untilClosed(socket);
  socket.write(Buffer.concat([Buffer.from(preface), emptySettings]));
  await once(socket, "data");
  socket.end();
  await closed;
  await isServing(server);
});

describe("HTTP/1.1 connections", () => {
  test("requests in a row are answered in order", async () => {
    const socket = dial(await openGatewayForTest());
    const post = (text: string): string => {
      const body = JSON.stringify({ text });
      return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    };
    socket.write(["one", "two", "three"].map(post).join("") + getHealth);
    const answers = await untilMatch(socket, /"status":"ok"/);
    expect(answers.match(/"(one|two|three|ok)"/g)).toEqual(['"one"', '"two"', '"three"', '"ok"']);
  });

  test("a connection serves one request after the other", async () => {
    const socket = dial(await openGatewayForTest());
    for (const _request of [1, 2, 3]) {
      socket.write(getHealth);
      await untilMatch(socket, healthy);
    }
  });

  test("a peer that has stopped sending still gets its answer", async () => {
    const socket = dial(await openGatewayForTest());
    const answer = untilClosed(socket);
    socket.end(getHealth);
    expect((await answer).toString()).toMatch(healthy);
  });

  test("an offer to upgrade to h2c is left, the request is served", async () => {
    const { port } = await openGatewayForTest();
    const headers = { connection: "upgrade, http2-settings, close", upgrade: "h2c", "http2-settings": "" };
    expect((await sendHttp1(port, "GET /healthz", headers)).status).toBe(200);
  });

  test.each([
    "GET /%zz HTTP/1.1",
    "GET //[ HTTP/1.1",
    "OPTIONS * HTTP/1.1",
    "GET http://a:b/c HTTP/1.1",
    "CONNECT a:1 HTTP/1.1",
  ])("%s harms nobody", async (line) => {
    const server = await openGatewayForTest();
    await sendTcp(server.port, `${line}\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
    await isServing(server);
  });
});

test("an idle HTTP/1.1 connection holds nothing of its last request", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const messages: WeakRef<object>[] = [];
  const server = await openGatewayForTest({
    library: {
      echo: (message) => {
        messages.push(new WeakRef(message));
        return {};
      },
    },
  });
  const socket = dial(server);
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n`;
  socket.write(`${head}{}`);
  await untilMatch(socket, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\{\}$/);
  await vi.waitFor(() => {
    collect();
    expect(messages.map((message) => message.deref())).toEqual([undefined]);
  });
  expect(socket.closed).toBe(false);
});

describe("slow and silent peers", () => {
  const limits = { headersTimeoutMs: 50, requestTimeoutMs: 100, idleTimeoutMs: 50 };
  const tls = {
    cert: readFileSync("test/testdata/tls/server.pem"),
    key: readFileSync("test/testdata/tls/server.key"),
  };

  /** Sends a byte again and again until the peer closes the connection. */
  async function trickle(socket: Socket, text: string): Promise<string> {
    socket.write(text);
    const timer = setInterval(() => socket.write("x"), 10);
    onTestFinished(() => clearInterval(timer));
    return (await untilClosed(socket)).toString();
  }

  test("headers that trickle in are cut", async () => {
    const socket = dial(await openGatewayForTest({ limits }));
    expect(await trickle(socket, "GET /healthz HTTP/1.1\r\nx-a: ")).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("a body that trickles in is cut", async () => {
    const server = await openGatewayForTest({ limits });
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n`;
    expect(await trickle(dial(server), head)).toMatch(/^HTTP\/1\.1 408 /);
    await server.settled();
    expect(server.finished.length).toBe(1);
  });

  test("headers that trickle in over TLS are cut", async () => {
    const { port } = await openGatewayForTest({ limits, tls });
    const socket = connectTls({ port, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] });
    socket.on("error", () => undefined);
    await once(socket, "secureConnect");
    expect(await trickle(socket, "GET /healthz HTTP/1.1\r\nx-a: ")).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  test("a TLS handshake that does not come is cut", async () => {
    const socket = dial(await openGatewayForTest({ limits, tls }));
    socket.resume();
    await once(socket, "close");
  });

  test.each([
    ["says nothing", ""],
    ["stops within the preface", preface.slice(0, 10)],
    ["sends its preface and nothing else", preface],
    ["sends its settings and nothing else", Buffer.concat([Buffer.from(preface), emptySettings])],
  ])("a connection that %s is closed", async (_name, bytes) => {
    const socket = dial(await openGatewayForTest({ limits }));
    socket.write(bytes);
    await untilClosed(socket);
  });

  test("a preface that trickles in is cut", async () => {
    const socket = dial(await openGatewayForTest({ limits }));
    const closed = untilClosed(socket);
    let sent = 0;
    const timer = setInterval(() => socket.write(preface[sent++] ?? ""), 20);
    onTestFinished(() => clearInterval(timer));
    await closed;
    expect(sent).toBeLessThan(preface.length);
  });

  test("an idle HTTP/2 connection is notified before it is closed", async () => {
    const { url } = await openGatewayForTest({ limits });
    const session = connectHttp2(url);
    await once(session, "goaway");
    await once(session, "close");
  });

  test("a stream that is open is not idle", async () => {
    const server = await openGatewayForTest({
      limits,
      library: {
        async *watch(_request, { signal }) {
          yield { number: 1 };
          await once(signal, "abort");
        },
      },
    });
    const session = connectHttp2(server.url);
    onTestFinished(() => void session.destroy());
    const stream = session.request({ ...grpc, ":path": "/engage.test.v1.Library/Watch" });
    stream.end(envelope(Buffer.alloc(0)));
    await once(session, "goaway");
    expect(stream.closed).toBe(false);
    expect(server.finished).toEqual([]);
  });
});
