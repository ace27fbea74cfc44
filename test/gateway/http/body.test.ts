import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { brotliCompressSync } from "node:zlib";
import { Code } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test } from "vitest";
import { type BodyReader, collectBody } from "../../../gateway/http/body.ts";
import { connectionOf } from "../../../gateway/http/connections.ts";
import { OpenBytes } from "../../../gateway/http/open-bytes.ts";
import { defaultLimits } from "../../../gateway/limits.ts";
import { envelope, grpcStatusOf, openHttp2, sendHttp1 } from "../../e2e/raw.ts";
import { openGatewayForTest } from "../gateway-server.ts";
import { isBusy, isLate, kinds, library, openSession, path, text, upload } from "./uploads.ts";

describe.each([true, false])("with the lanes %j", (lanes) => {
  describe.each(kinds)("%s", (_name, headers, isEnveloped) => {
    const begin = (bytes: number): Buffer =>
      isEnveloped ? envelope(Buffer.alloc(bytes), 0, 90_000) : Buffer.from(`{"text":"${"x".repeat(bytes)}`);

    test("bodies beyond the share of their connection: the largest ends, and the connection goes on", async () => {
      const limits = { maxMessageBytes: 100_000, openBytesPerConnection: 200_000 };
      const server = await openGatewayForTest({ lanes, limits, library });
      const session = openSession(server);
      const large = upload(session, headers);
      large.stream.write(begin(85_000));
      const others = [70_000, 60_000].map((bytes) => {
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
