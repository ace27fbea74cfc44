import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openGateway, type TestGateway } from "../gateway/gateway-server.ts";
import { EchoMessageSchema } from "../gateway/testproto/gen/engage/test/v1/library_pb.ts";
import { envelope, grpcStatusOf, openHttp2, sendHttp1, sendHttp2, sendTcp, untilClosed } from "./raw.ts";
import { grownBy, openServerProcess, type ServerProcess } from "./server-process.ts";

const path = "/engage.test.v1.Library/Echo";
const maxBytes = 2 * 1024 * 1024;
const compressMinBytes = 10_000;
const grpc = { ":path": path, "content-type": "application/grpc", te: "trailers" };
const web = { ":path": path, "content-type": "application/grpc-web+proto" };

/** An EchoMessage of exactly this many bytes. */
function messageOf(bytes: number): Uint8Array {
  const encode = (data: Uint8Array) => toBinary(EchoMessageSchema, create(EchoMessageSchema, { data }));
  // The tag and a length of one to four bytes.
  return [2, 3, 4, 5]
    .map((overhead) => encode(new Uint8Array(bytes - overhead)))
    .find(({ length }) => length === bytes)!;
}

/** JSON of exactly this many bytes. */
const jsonOf = (bytes: number): Buffer => Buffer.from(`{"text":"${"x".repeat(bytes - 11)}"}`);

/** A gzip of 1 GiB of zeros, in members of 1 MiB. */
const bomb = Buffer.concat(new Array<Buffer>(1024).fill(gzipSync(Buffer.alloc(1024 * 1024))));
/** What a server may take for it, in MiB. */
const maxGrownMib = 50;

describe.each([true, false])("with the lanes %j", (lanes) => {
  let server: TestGateway;
  /** The same limits, for tests that measure memory. */
  let separate: ServerProcess;
  beforeAll(async () => {
    const limits = {
      maxMessageBytes: 100,
      methods: { "engage.test.v1.Library/Echo": maxBytes },
      compressMinBytes,
    };
    separate = await openServerProcess(join(import.meta.dirname, "gateway-process.ts"), { lanes, limits });
    server = await openGateway({
      lanes,
      limits,
      library: {
        async collect(requests) {
          let texts = "";
          for await (const { text } of requests) texts += text;
          return { text: texts };
        },
      },
    });
  });
  afterAll(async () => {
    await separate[Symbol.asyncDispose]();
    await server.gateway.drain(0);
  });
  const json = (body: Uint8Array, headers: object = {}, port = server.port) =>
    sendHttp1(
      port,
      `POST ${path}`,
      { "content-type": "application/json", "content-length": `${body.length}`, ...headers },
      body,
    );

  describe.each([
    ["gRPC", grpc],
    ["gRPC-Web", web],
  ])("%s", (_protocol, headers) => {
    test.each([
      ["exactly at the limit", maxBytes, 0],
      ["one byte more", maxBytes + 1, Code.ResourceExhausted],
    ])("a message %s", async (_name, bytes, code) => {
      const message = messageOf(bytes);
      expect(message.length).toBe(bytes);
      expect(grpcStatusOf(await sendHttp2(server.url, headers, envelope(message)))).toBe(code);
    });

    test.each([
      ["exactly at the limit", maxBytes, 0],
      ["one byte more", maxBytes + 1, Code.ResourceExhausted],
    ])("a message that inflates to %s", async (_name, bytes, code) => {
      const message = envelope(gzipSync(messageOf(bytes)), 1);
      const answer = await sendHttp2(server.url, { ...headers, "grpc-encoding": "gzip" }, message);
      expect(grpcStatusOf(answer)).toBe(code);
    });

    test("a message that says to be too big is refused before it comes", async () => {
      using request = openHttp2(server.url, headers);
      request.stream.write(envelope(Buffer.alloc(10), 0, maxBytes + 1));
      expect(grpcStatusOf(await request.answer)).toBe(Code.ResourceExhausted);
    });

    test("the limit of a method that has none of its own", async () => {
      const other = { ...headers, ":path": "/engage.test.v1.Library/GetBook" };
      expect(grpcStatusOf(await sendHttp2(server.url, other, envelope(messageOf(101))))).toBe(
        Code.ResourceExhausted,
      );
    });

    test("a bomb is not inflated beyond the limit", async () => {
      const compressed = { ...headers, "grpc-encoding": "gzip" };
      const grown = await grownBy(separate.pid, async () => {
        const answer = await sendHttp2(separate.url, compressed, envelope(bomb, 1));
        expect(grpcStatusOf(answer)).toBe(Code.ResourceExhausted);
      });
      expect(grown).toBeLessThan(maxGrownMib);
    });

    test.each([
      ["a big answer to who sends gzip", gzipSync(messageOf(compressMinBytes)), 1, 1],
      ["a small answer to who sends gzip", gzipSync(messageOf(compressMinBytes - 1)), 1, 0],
      ["a big answer to who only could read it", messageOf(compressMinBytes), 0, 0],
    ])("%s", async (_name, payload, flags, answered) => {
      const encoding = flags === 1 ? { "grpc-encoding": "gzip" } : {};
      const asked = { ...headers, ...encoding, "grpc-accept-encoding": "gzip" };
      const { body } = await sendHttp2(server.url, asked, envelope(payload, flags));
      expect(body[0]).toBe(answered);
    });
  });

  describe("Connect and REST", () => {
    test.each([
      [path, maxBytes, 200],
      [path, maxBytes + 1, 429],
      ["/v1/echo", maxBytes, 200],
      ["/v1/echo", maxBytes + 1, 413],
    ])("%s with %i bytes is answered %i", async (target, bytes, status) => {
      const headers = { "content-type": "application/json", "content-length": `${bytes}` };
      const answer = await sendHttp1(server.port, `POST ${target}`, headers, jsonOf(bytes));
      expect(answer.status).toBe(status);
    });

    test.each([
      [maxBytes, 200],
      [maxBytes + 1, 429],
    ])("%i bytes after inflating are answered %i", async (bytes, status) => {
      const answer = await json(gzipSync(jsonOf(bytes)), { "content-encoding": "gzip" });
      expect(answer.status).toBe(status);
    });

    test("a bomb is not inflated beyond the limit", async () => {
      const grown = await grownBy(separate.pid, async () => {
        const answer = await json(bomb, { "content-encoding": "gzip" }, Number(new URL(separate.url).port));
        expect(answer.status).toBe(429);
      });
      expect(grown).toBeLessThan(maxGrownMib);
    });

    test.each([path, "/v1/echo"])(
      "a length beyond the limit is refused before the body: %s",
      async (target) => {
        const head = `POST ${target} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 90000000\r\n\r\n`;
        expect((await sendTcp(server.port, head)).toString()).toMatch(/^HTTP\/1\.1 (413|429) /);
      },
    );

    test.each([path, "/v1/echo"])("a body without a length is cut at the limit: %s", async (target) => {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => undefined);
      const answer = untilClosed(socket);
      socket.write(
        `POST ${target} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
      );
      const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
      for (let sent = 0; sent <= maxBytes; sent += 0x10000) socket.write(chunk);
      expect((await answer).toString()).toMatch(/^HTTP\/1\.1 (413|429) /);
    });

    test.each([
      ["a big answer", { "accept-encoding": "gzip" }, compressMinBytes, "gzip"],
      ["a big answer to who wants brotli", { "accept-encoding": "br" }, compressMinBytes, "br"],
      ["a big answer to who wants none", {}, compressMinBytes, undefined],
      ["a small answer", { "accept-encoding": "gzip" }, compressMinBytes - 100, undefined],
    ])("%s", async (_name, headers, bytes, encoding) => {
      const answer = await json(jsonOf(bytes), headers);
      expect(answer.headers["content-encoding"]).toBe(encoding);
    });

    test("what was compressed is what was asked", async () => {
      const answer = await json(jsonOf(compressMinBytes), { "accept-encoding": "gzip" });
      expect(gunzipSync(answer.body)).toEqual(jsonOf(compressMinBytes));
    });
  });

  test("a stream that sends a message beyond the limit ends with the same code", async () => {
    const headers = { ...grpc, ":path": "/engage.test.v1.Library/Collect" };
    expect(grpcStatusOf(await sendHttp2(server.url, headers, envelope(messageOf(101))))).toBe(
      Code.ResourceExhausted,
    );
  });

  test("headers beyond the limit end the request and not the server", async () => {
    const answer = await json(jsonOf(20), { "x-big": "x".repeat(100_000) });
    expect(answer.status).toBe(431);
    using request = openHttp2(server.url, { ...grpc, "x-big": "x".repeat(60_000) });
    request.stream.end(envelope(messageOf(50)));
    await once(request.stream, "close");
    expect((await json(jsonOf(20))).status).toBe(200);
  });
});
