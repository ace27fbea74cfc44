import { gzipSync } from "node:zlib";
import { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openGateway, type TestGateway } from "../gateway/gateway-server.ts";
import { envelope, grpcStatusOf, sendHttp1, sendHttp2 } from "./raw.ts";

const path = "/engage.test.v1.Library/Echo";
const hello = Buffer.from([0x0a, 2, 0x68, 0x69]);
const bare = "/engage.test.v1.Library/NotOverRest";
const none = Buffer.alloc(0);

type Headers = { ":path"?: string; [name: string]: string | undefined };
type Row = [name: string, headers: Headers, body: Uint8Array, code: number | undefined];

const half = Buffer.from([0, 0]);
const badWire = Buffer.from([0x0a, 200, 1, 2]);
const badText = Buffer.from([0x0a, 2, 0xc3, 0x28]);

/** Rows of every protocol that puts messages in envelopes. */
const envelopeRows: readonly Row[] = [
  ["a good call", {}, envelope(hello), undefined],
  ["an empty message", {}, envelope(none), undefined],
  ["a query in the path", { ":path": `${path}?x=1` }, envelope(hello), undefined],
  ["unknown fields", {}, envelope(Buffer.from([0xf8, 7, 1])), undefined],
  ["no authority", { ":authority": undefined }, envelope(hello), undefined],
  ["a flag that means nothing", {}, envelope(hello, 4), Code.Internal],
  ["an uncompressed message beside an encoding", { "grpc-encoding": "gzip" }, envelope(hello), undefined],
  ["gzip", { "grpc-encoding": "gzip" }, envelope(gzipSync(hello), 1), undefined],
  ["no body", {}, none, Code.Unimplemented],
  ["malformed protobuf", {}, envelope(badWire), Code.InvalidArgument],
  ["invalid UTF-8 in a string", {}, envelope(badText), Code.InvalidArgument],
  ["a wire type that does not exist", {}, envelope(Buffer.from([0x0f, 0])), Code.InvalidArgument],
  ["a truncated message", {}, envelope(hello, 0, 40), Code.InvalidArgument],
  ["a truncated prefix", {}, half, Code.InvalidArgument],
  ["two messages", {}, Buffer.concat([envelope(hello), envelope(hello)]), Code.Unimplemented],
  ["a message and a bit", {}, Buffer.concat([envelope(hello), half]), Code.InvalidArgument],
  ["the compressed flag without an encoding", {}, envelope(hello, 1), Code.Internal],
  ["the compressed flag with identity", { "grpc-encoding": "identity" }, envelope(hello, 1), Code.Internal],
  ["an unknown encoding", { "grpc-encoding": "snappy" }, envelope(hello), Code.Unimplemented],
  ["compressed garbage", { "grpc-encoding": "gzip" }, envelope(hello, 1), Code.InvalidArgument],
  ["gzip of garbage", { "grpc-encoding": "gzip" }, envelope(gzipSync(badWire), 1), Code.InvalidArgument],
  ["a malformed timeout", { "grpc-timeout": "soon" }, envelope(hello), Code.InvalidArgument],
  ["a timeout of nine digits", { "grpc-timeout": "123456789S" }, envelope(hello), Code.InvalidArgument],
  ["a negative timeout", { "grpc-timeout": "-1S" }, envelope(hello), Code.InvalidArgument],
  ["a timeout that is over", { "grpc-timeout": "0n" }, envelope(hello), Code.DeadlineExceeded],
  ["an unknown method", { ":path": "/engage.test.v1.Library/Nope" }, envelope(hello), Code.Unimplemented],
  ["an unknown service", { ":path": "/nope.Nope/Nope" }, envelope(hello), Code.Unimplemented],
  ["a path that is no URL", { ":path": "/%zz" }, envelope(hello), Code.Unimplemented],
  ["a method without a handler", { ":path": bare }, envelope(hello), Code.Unimplemented],
];

const text = (body: string): Buffer => Buffer.from(body);
const connectRows: readonly Row[] = [
  ["a good call", {}, text('{"text":"hi"}'), undefined],
  ["fields that are not known", {}, text('{"texts":"hi"}'), Code.InvalidArgument],
  ["a charset", { "content-type": "application/json; charset=utf-8" }, text("{}"), undefined],
  ["no body", {}, none, Code.InvalidArgument],
  ["half a body", {}, text('{"text":'), Code.InvalidArgument],
  ["a wrong type", {}, text('{"text":5}'), Code.InvalidArgument],
  ["an array", {}, text("[]"), Code.InvalidArgument],
  ["null", {}, text("null"), Code.InvalidArgument],
  ["a number beyond its type", {}, text('{"number":3000000000}'), Code.InvalidArgument],
  ["an unknown enum value", {}, text('{"genre":"NOPE"}'), Code.InvalidArgument],
  ["invalid UTF-8", {}, Buffer.from([0x7b, 0xff, 0x7d]), Code.InvalidArgument],
  ["a byte order mark", {}, text("\ufeff{}"), undefined],
  ["deep nesting", {}, text(`{"value":${"[".repeat(50_000)}${"]".repeat(50_000)}}`), Code.InvalidArgument],
  ["gzip", { "content-encoding": "gzip" }, gzipSync("{}"), undefined],
  ["gzip of no JSON", { "content-encoding": "gzip" }, gzipSync("{"), Code.InvalidArgument],
  ["compressed garbage", { "content-encoding": "gzip" }, text("{}"), Code.InvalidArgument],
  ["an unknown encoding", { "content-encoding": "snappy" }, text("{}"), Code.Unimplemented],
  ["a malformed timeout", { "connect-timeout-ms": "soon" }, text("{}"), Code.InvalidArgument],
  ["a timeout of eleven digits", { "connect-timeout-ms": "12345678901" }, text("{}"), Code.InvalidArgument],
  ["a timeout that is over", { "connect-timeout-ms": "0" }, text("{}"), Code.DeadlineExceeded],
  ["malformed protobuf", { "content-type": "application/proto" }, badWire, Code.InvalidArgument],
  ["a method without a handler", { ":path": bare }, text("{}"), Code.Unimplemented],
];

/** Requests that are no call of any protocol, by the HTTP status that they get. */
const httpRows: readonly [string, Headers, number][] = [
  ["an unknown path", { ":path": "/nope" }, 404],
  ["a path that is no URL", { ":path": "/%zz" }, 404],
  ["another content type", { "content-type": "text/plain" }, 415],
  ["no content type", { "content-type": undefined }, 415],
  ["a codec that is not known", { "content-type": "application/grpc+thrift" }, 415],
  ["GET for what may have side effects", { ":method": "GET", "content-type": undefined }, 405],
  ["GET as gRPC", { ":method": "GET", "content-type": "application/grpc" }, 405],
  ["PUT", { ":method": "PUT" }, 405],
];

describe.each([true, false])("with the lanes %j", (lanes) => {
  let server: TestGateway;
  beforeAll(async () => {
    server = await openGateway({ lanes });
  });
  afterAll(() => server.gateway.drain(0));
  const send = (type: string, headers: Headers, body: Uint8Array) =>
    sendHttp2(server.url, { ":path": path, "content-type": type, ...headers }, body);

  describe.each(["application/grpc", "application/grpc+proto", "application/grpc-web+proto"])(
    "%s",
    (type) => {
      test.each(envelopeRows)("%s", async (_name, headers, body, code) => {
        const answer = await send(type, { te: "trailers", ...headers }, body);
        expect([answer.status, grpcStatusOf(answer)]).toEqual([200, code ?? 0]);
      });
    },
  );

  const sendOverHttp1 = (type: string, { ":path": target = path, ...headers }: Headers, body: Uint8Array) =>
    sendHttp1(
      server.port,
      `POST ${target}`,
      { "content-type": type, "content-length": `${body.length}`, ...headers },
      body,
    );

  describe.each([
    ["HTTP/1.1", sendOverHttp1],
    ["HTTP/2", send],
  ])("application/json over %s", (_version, sendJson) => {
    test.each(connectRows)("%s", async (_name, headers, body, code) => {
      const answer = await sendJson("application/json", headers, body);
      const failure = answer.status === 200 ? undefined : JSON.parse(answer.body.toString());
      expect(failure?.code).toBe(code && codeToString(code));
      expect(failure?.message ?? "x").toMatch(/./);
    });
  });

  test.each([
    ["application/grpc", {}, envelope(badWire)],
    ["application/grpc", { "grpc-encoding": "gzip" }, envelope(gzipSync(badWire), 1)],
    ["application/grpc-web+proto", {}, envelope(badWire)],
    ["application/proto", {}, badWire],
    ["application/proto", { "content-encoding": "gzip" }, gzipSync(badWire)],
    ["application/grpc", { ":path": path.replace("Echo", "Watch") }, envelope(badWire)],
    ["application/connect+proto", { ":path": path.replace("Echo", "Watch") }, envelope(badWire)],
    ["application/grpc-web", { ":path": path.replace("Echo", "Watch") }, envelope(badWire)],
  ])("malformed protobuf is reported with the type of the message: %s %j", async (type, headers, body) => {
    const { headers: head, body: text } = await send(type, headers, body);
    const reported = decodeURIComponent(`${head["grpc-message"] ?? ""}${text}`);
    expect(reported).toMatch(/engage\.test\.v1\.\w+ is malformed: \w/);
    expect(reported).not.toContain("parse binary");
  });

  test("a method without a handler is named as a part of the contract", async () => {
    const answer = await send("application/json", { ":path": bare }, text("{}"));
    expect(JSON.parse(answer.body.toString())).toEqual({
      code: "unimplemented",
      message:
        "engage.test.v1.Library/NotOverRest is part of the contract but not implemented by this server",
    });
  });

  test.each(httpRows)("%s: an HTTP status", async (_name, headers, status) => {
    const answer = await send("application/json", headers, none);
    expect(answer.status).toBe(status);
  });

  test("after all that every call was reported, and calls are served", async () => {
    await server.settled();
    expect(server.faults).toEqual([]);
    const answer = await send("application/grpc", {}, envelope(hello));
    expect(answer.headers["grpc-status"]).toBe("0");
  });
});
