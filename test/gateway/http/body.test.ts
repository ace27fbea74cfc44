import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  constants,
} from "node:http2";
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { brotliCompressSync } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Authorize } from "../../../gateway/gateway-context.ts";
import { type BodyReader, collectBody } from "../../../gateway/http/body.ts";
import { connectionOf } from "../../../gateway/http/connections.ts";
import { OpenBytes } from "../../../gateway/http/open-bytes.ts";
import { defaultLimits } from "../../../gateway/limits.ts";
import { envelope, grpcStatusOf, openHttp2, type RawAnswer, sendHttp1, untilClosed } from "../../e2e/raw.ts";
import { openGatewayForTest, type TestGateway } from "../gateway-server.ts";

const path = "/engage.test.v1.Library/Echo";
const text = { "content-type": "application/json" };
const kinds: readonly [name: string, headers: Record<string, string>, isEnveloped: boolean][] = [
  ["gRPC", { ":path": path, "content-type": "application/grpc" }, true],
  ["compressed gRPC", { ":path": path, "content-type": "application/grpc", "grpc-encoding": "gzip" }, true],
  ["gRPC-Web", { ":path": path, "content-type": "application/grpc-web+proto" }, true],
  [
    "a stream of requests",
    { ":path": path.replace("Echo", "Collect"), "content-type": "application/grpc" },
    true,
  ],
  ["Connect", { ":path": path, ...text }, false],
  ["REST", { ":path": "/v1/echo", ...text }, false],
];

const library = {
  async collect(requests: AsyncIterable<{ text: string }>) {
    let texts = "";
    for await (const { text: one } of requests) texts += one;
    return { text: texts };
  },
};

/** A session of the test's own, ended with it. */
function openSession(server: TestGateway): ClientHttp2Session {
  const session = connectHttp2(server.url);
  session.on("error", () => undefined);
  onTestFinished(() => void session.destroy());
  return session;
}

interface Upload {
  readonly stream: ClientHttp2Stream;
  readonly answer: Promise<RawAnswer>;
}

function upload(session: ClientHttp2Session, headers: Record<string, string>): Upload {
  const stream = session.request({ ":method": "POST", ...headers });
  const received = {};
  const chunks: Buffer[] = [];
  stream.on("response", (head) => Object.assign(received, head));
  stream.on("trailers", (trailers) => Object.assign(received, trailers));
  stream.on("error", () => undefined);
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const answer = new Promise<RawAnswer>((resolve) => {
    stream.once("close", () =>
      resolve({
        body: Buffer.concat(chunks),
        status: Number((received as { ":status"?: number })[":status"]),
        headers: received,
      }),
    );
  });
  return { stream, answer };
}

/** 429 is what Connect and REST say of it. */
const isBusy = (answer: RawAnswer): boolean =>
  grpcStatusOf(answer) === Code.ResourceExhausted || answer.status === 429;
const isLate = (answer: RawAnswer): boolean =>
  grpcStatusOf(answer) === Code.DeadlineExceeded || /deadline_exceeded|in time/.test(`${answer.body}`);

describe.each([true, false])("with the lanes %j", (lanes) => {
  describe.each(kinds)("%s", (_name, headers, isEnveloped) => {
    const begin = (bytes: number): Buffer =>
      isEnveloped ? envelope(Buffer.alloc(bytes), 0, 900) : Buffer.from(`{"text":"${"x".repeat(bytes)}`);

    test("bodies beyond the share of their connection: the largest ends, and the connection goes on", async () => {
      const limits = { maxMessageBytes: 1_000, openBytesPerConnection: 2_000 };
      const server = await openGatewayForTest({ lanes, limits, library });
      const session = openSession(server);
      const large = upload(session, headers);
      large.stream.write(begin(850));
      const others = [700, 600].map((bytes) => {
        const other = upload(session, headers);
        other.stream.write(begin(bytes));
        return other;
      });
      expect(isBusy(await large.answer)).toBe(true);
      expect(others.map(({ stream }) => stream.destroyed)).toEqual([false, false]);
      const next = upload(session, { ":path": path, ...text });
      next.stream.end("{}");
      expect((await next.answer).status).toBe(200);
    });

    test("a body that trickles in is cut", async () => {
      const server = await openGatewayForTest({ lanes, limits: { requestTimeoutMs: 300 }, library });
      const { stream, answer } = upload(openSession(server), headers);
      stream.write(begin(10));
      const timer = setInterval(() => stream.write("x"), 10);
      onTestFinished(() => clearInterval(timer));
      expect(isLate(await answer)).toBe(true);
      await server.settled();
    });
  });

  test("a message that is asked with and does not come is cut", async () => {
    const server = await openGatewayForTest({ lanes, limits: { requestTimeoutMs: 300 } });
    const watch = { ":path": path.replace("Echo", "Watch"), "content-type": "application/grpc" };
    using request = openHttp2(server.url, watch);
    expect(grpcStatusOf(await request.answer)).toBe(Code.DeadlineExceeded);
  });

  test("a stream may wait between its messages", async () => {
    const server = await openGatewayForTest({ lanes, limits: { requestTimeoutMs: 300 }, library });
    const session = openSession(server);
    const { stream, answer } = upload(session, kinds[3]![1]);
    stream.write(envelope(Buffer.alloc(0)));
    // Cut at a time when the stream has waited at least as long.
    const late = upload(session, { ":path": path, "content-type": "application/grpc" });
    expect(isLate(await late.answer)).toBe(true);
    stream.end(envelope(Buffer.alloc(0)));
    expect(grpcStatusOf(await answer)).toBe(0);
  });

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

  test("streams of callers without a key are counted by connection and address", async () => {
    const limits = { openStreamsPerConnection: 2, openStreamsPerAddress: 3 };
    const server = await openGatewayForTest({ lanes, limits });
    const watch = () => {
      const session = openSession(server);
      return () => {
        const one = upload(session, {
          ":path": "/grpc.health.v1.Health/Watch",
          "content-type": "application/grpc",
        });
        one.stream.end(envelope(Buffer.alloc(0)));
        return one;
      };
    };
    const [first, second] = [watch(), watch()];
    const open = [first(), first(), second()];
    await Promise.all(open.map(({ stream }) => once(stream, "data")));
    expect(grpcStatusOf(await first().answer)).toBe(Code.ResourceExhausted);
    expect(grpcStatusOf(await second().answer)).toBe(Code.ResourceExhausted);
    open[0]!.stream.close();
    await vi.waitFor(() => expect(server.finished.length).toBe(3));
    await once(second().stream, "data");
  });

  test("a connection that goes on after many refused streams is closed, and its open calls go on", async () => {
    const server = await openGatewayForTest({ lanes, limits: { openStreamsPerConnection: 1 } });
    const session = openSession(server);
    const watch = () => {
      const one = upload(session, {
        ":path": "/grpc.health.v1.Health/Watch",
        "content-type": "application/grpc",
      });
      one.stream.end(envelope(Buffer.alloc(0)));
      return one;
    };
    const open = watch();
    await once(open.stream, "data");
    const refused = await Promise.all(Array.from({ length: 100 }, () => watch().answer));
    expect(new Set(refused.map(grpcStatusOf))).toEqual(new Set([Code.ResourceExhausted]));
    const goaway = once(session, "goaway");
    const last = watch();
    await last.answer;
    expect(last.stream.rstCode).toBe(constants.NGHTTP2_REFUSED_STREAM);
    expect((await goaway)[0]).toBe(constants.NGHTTP2_NO_ERROR);
    server.gateway.health.set("", "not serving");
    await once(open.stream, "data");
    open.stream.close();
    await once(session, "close");
  });

  test.each(["application/grpc", "application/grpc-web"])(
    "streams of callers that may not make them are refused by their headers alone: %s",
    async (type) => {
      const authorize: Authorize = () => {
        throw new ConnectError("this call needs a key", Code.Unauthenticated, {
          "www-authenticate": "Bearer",
        });
      };
      const server = await openGatewayForTest({ lanes, authorize });
      const one = upload(openSession(server), {
        ":path": path.replace("Echo", "Collect"),
        "content-type": type,
      });
      const answer = await one.answer;
      expect(grpcStatusOf(answer)).toBe(Code.Unauthenticated);
      expect(`${JSON.stringify(answer.headers)}${answer.body}`).toContain("www-authenticate");
      expect(server.finished.map(({ code }) => code)).toEqual([Code.Unauthenticated]);
    },
  );

  test("calls of an address beyond its limit are refused to be sent again", async () => {
    const never = new Promise<never>(() => undefined);
    const server = await openGatewayForTest({
      lanes,
      limits: { maxCallsPerAddress: 2 },
      library: { echo: () => never },
    });
    const session = openSession(server);
    const [first] = [upload(session, kinds[0]![1]), upload(session, kinds[0]![1])];
    await vi.waitFor(() => expect(server.started.length).toBe(2));
    const third = upload(session, kinds[0]![1]);
    await third.answer;
    expect(third.stream.rstCode).toBe(7);
    first!.stream.close();
    await vi.waitFor(() => expect(server.finished.length).toBe(1));
    upload(session, kinds[0]![1]);
    await vi.waitFor(() => expect(server.started.length).toBe(3));
  });
});

test("idle connections of one address do not keep others out", async () => {
  const server = await openGatewayForTest({ limits: { maxConnectionsPerAddress: 3 } });
  const idle = [1, 2, 3, 4, 5].map(() => connect(server.port, "127.0.0.1").on("error", () => undefined));
  const closed = idle.slice(0, 3).map(untilClosed);
  await Promise.all(idle.map((socket) => once(socket, "connect")));
  expect((await sendHttp1(server.port, "GET /healthz", {})).status).toBe(200);
  await Promise.all(closed);
});

test("a connection on which no request comes is closed", async () => {
  const server = await openGatewayForTest({ limits: { unusedTimeoutMs: 300 } });
  const session = openSession(server);
  await once(session, "close");
  expect((await sendHttp1(server.port, "GET /healthz", {})).status).toBe(200);
});

describe("a long body that is refused for its beginning", () => {
  const bytes = 4_000_000;
  const beginning = 300_000;

  /** Reads a body of which the reader refuses the first 300,000 bytes. */
  async function read(headers: Record<string, string>, body: Buffer) {
    const request = Object.assign(new PassThrough(), { headers, httpVersionMajor: 1 });
    const hold = new OpenBytes(defaultLimits).openBody(connectionOf(undefined), { cut: () => undefined });
    const seen = { asked: 0, wire: 0, most: 0 };
    const received = await new Promise<Buffer>((receive, fail) => {
      const reader: BodyReader = {
        bytesRead: (wire) => Object.assign(seen, { wire }),
        isRefused(so) {
          seen.asked++;
          return so.length >= beginning;
        },
        receive,
        fail,
      };
      collectBody(request as never as IncomingMessage, { maxBytes: bytes }, hold, reader);
      for (let at = 0; at < body.length; at += 10_000) request.write(body.subarray(at, at + 10_000));
      request.end();
    });
    return { ...seen, received, held: hold.bytes };
  }

  test("is read to its end and not kept", async () => {
    const { received, held, wire, asked } = await read({}, Buffer.alloc(bytes));
    expect([received.length, held, wire]).toEqual([0, beginning, bytes]);
    // The reader is not asked about a short body, nor after it has refused.
    expect(asked).toBe((beginning - 130_000) / 10_000);
  });

  test("is not inflated any further", async () => {
    const packed = brotliCompressSync(Buffer.alloc(bytes));
    const { received, asked } = await read({ "content-encoding": "br" }, packed);
    expect([received.length, asked]).toEqual([0, Math.ceil(beginning / 65_536)]);
  });
});

test.each([
  ["identity", (text: Buffer) => text],
  ["br", (text: Buffer) => brotliCompressSync(text)],
] as const)("a long body with too many elements is refused: %s", async (encoding, pack) => {
  const server = await openGatewayForTest({ library });
  const send = (elements: number) => {
    const body = pack(Buffer.from(`{"tags":[${'"",'.repeat(elements - 1)}""]}`));
    const headers = { ...text, "content-encoding": encoding, "content-length": String(body.length) };
    return sendHttp1(server.port, `POST ${path.replace("Echo", "SearchBooks")}`, headers, body);
  };
  expect(`${(await send(1_000_001)).body}`).toContain("an array has more than 1000000 elements");
  expect(await send(100_000)).toMatchObject({ status: 200 });
});
