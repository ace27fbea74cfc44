import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { openGateway, openGatewayForTest } from "../../gateway-server.ts";
import { dial, path, untilMatch } from "../dial.ts";

const server = await openGateway({ library: { echo: ({ text }) => ({ text }) } });
afterAll(() => server.gateway.drain(0));

const json = "content-type: application/json\r\nx-request-id: r1\r\n";
const post = (target: string, body: string, head = "", version = "1.1"): string =>
  `POST ${target} HTTP/${version}\r\nhost: localhost\r\n${json}${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** Sends a request and returns the bytes of the response, with the time as a fixed text. */
async function exchange(
  address: { readonly port: number },
  request: string,
  complete = request.startsWith("HEAD") ? /\r\n\r\n$/ : /\r\n\r\n\{.*\}$/s,
  encoding: BufferEncoding = "utf8",
): Promise<string> {
  const socket = dial(address);
  socket.write(request, encoding);
  const response = await untilMatch(socket, complete);
  return response.replace(/\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/g, "\r\nDate: now\r\n");
}

test.each([
  ["a call over Connect", post(path, '{"text":"t"}')],
  ["a call over REST", post("/v1/echo", '{"text":"t"}')],
  ["a text beyond ASCII", post(path, '{"text":"é€😀"}')],
  ["a text of Latin-1", post("/v1/echo", '{"text":"é"}')],
  ["a request with GET", `GET /v1/books/5 HTTP/1.1\r\nhost: localhost\r\n${json}\r\n`],
  ["a request with HEAD", `HEAD /v1/books/5 HTTP/1.1\r\nhost: localhost\r\n${json}\r\n`],
  ["a connection that is closed", post(path, '{"text":"t"}', "connection: close\r\n")],
  ["HTTP/1.0", post(path, '{"text":"t"}', "", "1.0")],
  ["HTTP/1.0 with a kept connection", post(path, '{"text":"t"}', "connection: keep-alive\r\n", "1.0")],
])("the response to %s has the bytes that Node writes", async (_name, request) => {
  const ours = await exchange(server, request);
  const length = Number(/content-length: (\d+)/.exec(ours)?.[1]);
  const body = Buffer.from(ours.slice(ours.indexOf("\r\n\r\n") + 4), "latin1");
  const peer = createServer({ keepAliveTimeout: 75_000 }, (incoming, response) => {
    const headers = { "content-type": "application/json", "x-request-id": "r1", "content-length": length };
    incoming.resume().on("end", () => response.writeHead(200, headers).end(body));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void peer.close());
  await once(peer, "listening");
  expect(ours).toBe(await exchange(peer.address() as AddressInfo, request));
});

test("the response to a pipelined request has the bytes of the one before", async () => {
  const request = post(path, '{"text":"t"}');
  const both = await exchange(server, request.repeat(2), /(\r\n\r\n\{.*?\}.*){2}$/s);
  expect(both).toBe((await exchange(server, request)).repeat(2));
});

test.each([
  ["short bytes", "é\u0000"],
  ["long bytes", "é\u0000".repeat(1_000)],
])("a response of %s has the head of one of text, and these bytes", async (_name, content) => {
  const text = await exchange(server, post(path, '{"text":"t"}'));
  const message = Buffer.from(new BinaryWriter().uint32(10).string(content).finish()).toString("latin1");
  const { length } = message;
  const request = post(path, "x".repeat(length)).replace("application/json", "application/proto");
  const complete = new RegExp(`\r\n\r\n.{${length}}$`, "s");
  const bytes = await exchange(server, request.slice(0, -length) + message, complete, "latin1");
  const head = text.slice(0, text.indexOf("{")).replace("application/json", "application/proto");
  expect(bytes).toBe(`${head.replace(/content-length: \d+/, `content-length: ${length}`)}${message}`);
});

test.each([
  ["a message of 1024 bytes is one text with its head", 1_024, ["string"]],
  ["a message of 1025 bytes is written as it is", 1_025, ["string", "object"]],
])("%s", async (_name, size, expected) => {
  const writes: string[] = [];
  const spy = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    const { write } = socket;
    vi.spyOn(socket, "write").mockImplementation(((...values: Parameters<Socket["write"]>) => {
      writes.push(typeof values[0]);
      return Reflect.apply(write, socket, values);
    }) as Socket["write"]);
  };
  subscribe("http.server.request.start", spy);
  onTestFinished(() => void unsubscribe("http.server.request.start", spy));
  const message = Buffer.from(
    new BinaryWriter()
      .uint32(10)
      .string("x".repeat(size - 3))
      .finish(),
  );
  const request = post(path, "x".repeat(size)).replace("application/json", "application/proto");
  const complete = new RegExp(`\r\n\r\n.{${size}}$`, "s");
  await exchange(server, request.slice(0, -size) + message.toString("latin1"), complete, "latin1");
  expect(writes).toEqual(expected);
});

test("a connection that the server drains is closed by its last response", async () => {
  const { promise, resolve } = Promise.withResolvers<{ text: string }>();
  const begun = Promise.withResolvers<void>();
  const library = {
    echo() {
      begun.resolve();
      return promise;
    },
  };
  const drained = await openGatewayForTest({ library });
  const response = exchange(drained, post(path, "{}"));
  await begun.promise;
  const done = drained.gateway.drain(10_000);
  resolve({ text: "t" });
  expect(await response).toMatch(/\r\nconnection: close\r\n/);
  await done;
});
