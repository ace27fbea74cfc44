import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { Code } from "@connectrpc/connect";
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

describe.each([true, false])("a response that is too large, with the lanes %j,", (lanes) => {
  const tooLarge =
    /the response of \d{7} bytes is larger than the 2000000 bytes that one connection may leave unread: ask for less/;
  const empty = envelope(Buffer.alloc(0));
  const grpc = { "content-type": "application/grpc" };
  const web = { "content-type": "application/grpc-web+proto" };
  const connectStream = { "content-type": "application/connect+json" };
  const collect = path.replace("Echo", "Collect");
  const limits = { maxMessageBytes: 1_000_000, openBytesPerConnection: 2_000_000 };
  const large = {
    echo: () => ({ data: randomBytes(2_000_000) }),
    collect: async () => ({ text: "x".repeat(2_000_000) }),
  };
  const wide = { echo: () => ({ text: "中".repeat(1_000_000) }) };

  test.each([
    ["gRPC", { ":path": path, ...grpc }, empty, large, 200],
    ["gRPC, of a text,", { ":path": path, ...grpc }, empty, wide, 200],
    ["compressed gRPC", { ":path": path, ...grpc, "grpc-encoding": "gzip" }, empty, large, 200],
    ["gRPC-Web", { ":path": path, ...web }, empty, large, 200],
    ["Connect", { ":path": path, ...text }, "{}", large, 429],
    ["Connect, of characters of three bytes,", { ":path": path, ...text }, "{}", wide, 429],
    ["REST", { ":path": "/v1/echo", ...text }, "{}", large, 413],
    ["REST, of characters of three bytes,", { ":path": "/v1/echo", ...text }, "{}", wide, 413],
    ["a stream of gRPC", { ":path": collect, ...grpc }, "", large, 200],
    ["a stream of gRPC-Web", { ":path": collect, ...web }, "", large, 200],
    ["a stream of Connect", { ":path": collect, ...connectStream }, "", large, 200],
  ])("is an error over %s", async (_name, headers, body, library, status) => {
    const server = await openGatewayForTest({ lanes, limits, library });
    const { stream, answer } = upload(openSession(server), headers);
    stream.end(body);
    const found = await answer;
    expect(found.status).toBe(status);
    expect(decodeURIComponent(`${found.headers["grpc-message"]}${found.body}`)).toMatch(tooLarge);
    expect((await server.settled())[0]?.code).toBe(Code.ResourceExhausted);
  });

  test("is an error over a stream of REST", async () => {
    const server = await openGatewayForTest({ lanes, limits });
    const response = await fetch(`${server.url}/v1/downloads/f?chunks=1&chunk_bytes=2000001`);
    expect([response.status, await response.text()]).toEqual([413, expect.stringMatching(tooLarge)]);
    expect((await server.settled())[0]?.code).toBe(Code.ResourceExhausted);
  });
});
