import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { envelope } from "../../e2e/raw.ts";
import { openGatewayForTest } from "../gateway-server.ts";
import { openSession, path, text, upload } from "./uploads.ts";

describe.each([true, false])("with the lanes %j", (lanes) => {
  test.each([
    ["gRPC", { ":path": path, "content-type": "application/grpc" }, envelope(Buffer.alloc(0))],
    ["gRPC-Web", { ":path": path, "content-type": "application/grpc-web+proto" }, envelope(Buffer.alloc(0))],
    ["Connect", { ":path": path, ...text }, "{}"],
    ["REST", { ":path": "/v1/echo", ...text }, "{}"],
  ])("a large answer over %s that nobody reads is cut", async (_name, headers, body) => {
    const server = await openGatewayForTest({
      lanes,
      limits: { stallTimeoutMs: 300, minBytesPerSecond: 1e9 },
      library: { echo: () => ({ data: new Uint8Array(3_000_000) }) },
    });
    const session = openSession(server);
    const stream = session.request({ ":method": "POST", ...headers });
    stream.on("error", () => undefined);
    stream.end(body);
    await new Promise((resolve) => stream.once("close", resolve));
    expect(session.destroyed).toBe(false);
    const next = upload(session, { ":path": "/healthz", ":method": "GET" });
    next.stream.end();
    expect((await next.answer).status).toBe(200);
  });

  test("a large response over HTTP/1.1 that is not read is cut", async () => {
    const server = await openGatewayForTest({
      lanes,
      limits: { stallTimeoutMs: 300, minBytesPerSecond: 1e9 },
      library: { echo: () => ({ data: new Uint8Array(12_000_000) }) },
    });
    const socket = connect(server.port, "127.0.0.1").pause();
    socket.on("error", () => undefined);
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
    );
    // A socket that does not read learns by writing that the other end is closed.
    const timer = setInterval(() => socket.write("x"), 50);
    onTestFinished(() => clearInterval(timer));
    await new Promise((resolve) => socket.once("close", resolve));
    expect(socket.bytesRead).toBeLessThan(12_000_000);
  });
});

test.each([
  ["gRPC", { ":path": path, "content-type": "application/grpc" }, envelope(Buffer.alloc(0)), 200, "8"],
  ["Connect", { ":path": path, ...text }, "{}", 429, undefined],
  ["REST", { ":path": "/v1/echo", ...text }, "{}", 413, undefined],
])(
  "a response over %s larger than a connection may leave unread is an error",
  async (_name, headers, body, ...statuses) => {
    const server = await openGatewayForTest({
      limits: { maxMessageBytes: 1_000_000, openBytesPerConnection: 2_000_000 },
      library: { echo: () => ({ data: new Uint8Array(2_000_000) }) },
    });
    const { stream, answer } = upload(openSession(server), headers);
    stream.end(body);
    const found = await answer;
    expect([found.status, found.headers["grpc-status"]]).toEqual(statuses);
    const message = decodeURIComponent(`${found.headers["grpc-message"]}${found.body}`);
    expect(message).toMatch(
      / larger than limits\.openBytesPerConnection of 2000000 bytes: ask for less in one call/,
    );
  },
);
