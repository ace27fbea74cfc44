import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { field, flags, frame } from "../../../e2e/hostile/http2-frames.ts";
import { openGateway } from "../../gateway-server.ts";
import { dial, emptySettings, path, preface, untilMatch } from "../dial.ts";
import { textOf } from "../http2/direct-server.ts";

const pem = (name: string): Buffer => readFileSync(`test/testdata/tls/${name}`);
const long = "x".repeat(20_000);
/** What the servers do, in order: `call` and `write` with the text of the message, or `long`. */
const events: string[] = [];
const note = (event: string, text: string): void => {
  events.push(`${event} ${text.length > 100 ? "long" : text}`);
};
const library = {
  echo(request: { readonly text: string }) {
    note("call", request.text);
    return { text: request.text };
  },
  async *watch() {
    note("call", long);
    yield {};
  },
};
const overTls = { tls: { cert: pem("server.pem"), key: pem("server.key") } };
const limits = { methods: { "grpc.health.v1.Health/Watch": 65_536 } };
const plain = await openGateway({ library, limits });
const tls = await openGateway({ library, ...overTls });
afterAll(() => Promise.all([plain.gateway.drain(0), tls.gateway.drain(0)]));

beforeEach(() => {
  const watched = new WeakSet<Socket>();
  const watch = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    if (watched.has(socket)) return;
    watched.add(socket);
    const { write } = socket;
    socket.write = (...values: unknown[]) => {
      const [, text] = /\{"text":"(.*)"\}$/.exec(String(values[0])) ?? [];
      if (text !== undefined) note("write", text);
      return Reflect.apply(write, socket, values);
    };
  };
  subscribe("http.server.request.start", watch);
  onTestFinished(() => void unsubscribe("http.server.request.start", watch));
});

const request = (text: string): string => {
  const body = JSON.stringify({ text });
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json`;
  return `${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

function dialTls({ port }: { readonly port: number }): Socket {
  const socket = connectTls({ port, ca: pem("ca.pem"), ALPNProtocols: ["http/1.1"] });
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Opens connections that have had a response, so that the server reads at once what is sent on all of them. */
async function openConnections(count: number, open: () => Socket): Promise<readonly Socket[]> {
  const connections = Array.from({ length: count }, open);
  await Promise.all(
    connections.map((socket) => {
      socket.write(request("first"));
      return untilMatch(socket, /"first"/);
    }),
  );
  events.length = 0;
  return connections;
}

const responses = (connections: readonly Socket[]): Promise<readonly string[]> =>
  Promise.all(connections.map((socket, i) => untilMatch(socket, new RegExp(`"text":"short ${i}"`))));

describe.each([
  ["plain text", () => dial(plain)],
  ["TLS", () => dialTls(tls)],
])("over %s", (_name, open) => {
  test("responses to requests that come together are sent after the last is served", async () => {
    const connections = await openConnections(10, open);
    const callAll = (): Promise<unknown> => {
      for (const [i, socket] of connections.entries()) socket.write(request(`short ${i}`));
      return responses(connections);
    };
    await callAll();
    // This response waits alone, so the next four are sent at once.
    connections[0]?.write(request("short 0"));
    await responses(connections.slice(0, 1));
    events.length = 0;
    await callAll();
    const of = (event: string, ids: readonly number[]): string[] => ids.map((id) => `${event} short ${id}`);
    const atOnce = [0, 1, 2, 3].flatMap((id) => [...of("call", [id]), ...of("write", [id])]);
    const later = [4, 5, 6, 7, 8, 9];
    expect(events).toEqual([...atOnce, ...of("call", later), ...of("write", later)]);
  });

  test("a request with which a connection ends has a response", async () => {
    const connections = await openConnections(10, open);
    for (const [i, socket] of connections.entries()) socket.end(request(`short ${i}`));
    await responses(connections);
  });

  test("a request that is followed by no request has its response and no other", async () => {
    const connections = await openConnections(10, open);
    for (const [i, socket] of connections.entries())
      socket.write(`${request(`short ${i}`)}no request\r\n\r\n`);
    const closed = connections.map((socket) => once(socket, "close"));
    for (const text of await responses(connections)) expect(text).not.toContain("400");
    await Promise.all(closed);
  });
});

test("at most 32 responses wait", async () => {
  const connections = await openConnections(50, () => dial(plain));
  for (const [i, socket] of connections.entries()) socket.write(request(`short ${i}`));
  await responses(connections);
  let waiting = 0;
  const counts = events.map((event) => (event.startsWith("call") ? ++waiting : --waiting));
  expect(Math.max(...counts)).toBe(32);
});

/** Opens a connection of HTTP/2 and returns what sends a gRPC call there. */
async function openGrpc(method = path): Promise<() => void> {
  const socket = dial(plain);
  socket.write(Buffer.concat([Buffer.from(preface), emptySettings]));
  await once(socket, "data");
  const head = [
    field(":method", "POST"),
    field(":path", method),
    field(":scheme", "http"),
    field(":authority", "localhost"),
    field("content-type", "application/grpc"),
  ];
  const message = textOf(long);
  const frames = [
    frame("headers", 1, flags.endHeaders, Buffer.concat(head)),
    frame("data", 1, 0, message.subarray(0, 16_384)),
    frame("data", 1, flags.endStream, message.subarray(16_384)),
  ];
  return () => void socket.write(Buffer.concat(frames));
}

async function openHttp1(): Promise<() => void> {
  const [socket] = await openConnections(1, () => dial(plain));
  return () => void socket?.write(request(long));
}

async function openRestStream(): Promise<() => void> {
  const body = `{"count":1}${" ".repeat(20_000)}`;
  const head = "POST /v1/books:watch HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json";
  const socket = dial(plain);
  const send = (): void => void socket.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  send();
  await untilMatch(socket, /\r\n0\r\n\r\n$/);
  return send;
}

/** The handlers of these calls are loaded by the first. */
async function openGrpcWeb(): Promise<() => void> {
  const body = textOf(long);
  const socket = dial(plain);
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/grpc-web`;
  const lines = `content-length: ${body.length}\r\n\r\n`;
  const send = (): void => void socket.write(Buffer.concat([Buffer.from(`${head}\r\n${lines}`), body]));
  send();
  await untilMatch(socket, /grpc-status: 0/);
  return send;
}

test.each([
  ["HTTP/1.1", openHttp1, ["call long", "write long"]],
  ["gRPC", openGrpc, ["call long"]],
  // What serves a subscription notes nothing.
  ["gRPC with a subscription", () => openGrpc("/grpc.health.v1.Health/Watch"), ["call short 8"]],
  ["REST with a stream", openRestStream, ["call long"]],
  ["gRPC-Web", openGrpcWeb, ["call long"]],
])(
  "responses are sent before a long message over %s, and a long one at once",
  async (_name, open, expected) => {
    const send = await open();
    const connections = await openConnections(12, () => dial(plain));
    for (const [i, socket] of connections.entries()) {
      if (i === 8) send();
      socket.write(request(`short ${i}`));
    }
    await responses(connections);
    expect(events.slice(16, 16 + expected.length)).toEqual(expected);
  },
);

test.each([
  ["plain text", {}, dial],
  ["TLS", overTls, dialTls],
])(
  "responses that wait when a drain cuts their connections are sent, over %s",
  async (_name, options, open) => {
    const count = 10;
    const gate = Promise.withResolvers<void>();
    let calls = 0;
    /** Waits until the grace time of the drain is over, so that the next iteration begins with the cut. */
    const drain = (): void => {
      void server.gateway.drain(0);
      const begunMs = performance.now();
      while (performance.now() < begunMs + 5);
    };
    const server = await openGateway({
      ...options,
      library: {
        async echo({ text }) {
          if (text === "first") return { text };
          if (++calls === count) for (const step of [gate.resolve, drain]) setImmediate(step);
          await gate.promise;
          return { text };
        },
      },
    });
    const connections = await openConnections(count, () => open(server));
    for (const [i, socket] of connections.entries()) socket.write(request(`short ${i}`));
    await responses(connections);
  },
);
