import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createServer as createHttp2Server,
  type ServerHttp2Stream,
  type SessionOptions,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { promisify } from "node:util";
import { Code } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { readBody, release } from "../../../../gateway/http/http2/direct-streams.ts";
import { grpcStatusOf, sendHttp2 } from "../../../e2e/raw.ts";
import { openGatewayForTest } from "../../gateway-server.ts";
import { onStreamStart } from "../../stream-start.ts";
import { grpc, hello } from "../dial.ts";
import { openDirectServer, statusOf, textOf, ways } from "./direct-server.ts";

const { server, held, reasons, called, begun, wayOfLast } = await openDirectServer();

describe.each(ways)("streams that are read %s", (way, choose) => {
  const pending = { ...grpc, ":path": "/engage.test.v1.Library/GetBook" };

  function open(options: SessionOptions = {}): ClientHttp2Session {
    const session = connect(server.url, options);
    session.on("error", () => undefined);
    onTestFinished(() => session.destroy());
    return session;
  }

  /** Begins a call whose handler waits for the gate. */
  async function begin(session: ClientHttp2Session): Promise<ClientHttp2Stream> {
    held.gate = Promise.withResolvers();
    reasons.length = 0;
    const request = session.request(pending);
    request.on("error", () => undefined);
    const before = server.started.length;
    request.end(hello);
    await vi.waitFor(() => expect(server.started.length).toBe(before + 1));
    await turn();
    return request;
  }

  const settled = (): Promise<unknown> =>
    vi.waitFor(() => expect(server.finished.length).toBe(server.started.length));

  test.each([constants.NGHTTP2_CANCEL, constants.NGHTTP2_NO_ERROR])(
    "a call that its peer resets with %d is cancelled",
    async (code) => {
      choose();
      const request = await begin(open());
      request.close(code);
      await settled();
      expect([server.finished.at(-1)?.code, reasons]).toEqual([Code.Canceled, [Code.Canceled]]);
    },
  );

  test("a call whose connection closes before its body is complete is cancelled", async () => {
    choose();
    const before = server.started.length;
    const session = open();
    const request = session.request(grpc);
    request.on("error", () => undefined);
    request.write(hello.subarray(0, 6));
    await vi.waitFor(() => expect(server.started.length).toBe(before + 1));
    session.destroy();
    await settled();
    expect(server.finished.at(-1)?.code).toBe(Code.Canceled);
  });

  test.each([
    ["half of its body", hello.subarray(0, 6)],
    ["its message", hello],
  ])("a call that its peer ends and resets at once, after %s, is never made", async (_name, bytes) => {
    choose();
    called.length = 0;
    const session = open();
    const request = session.request(pending);
    request.on("error", () => undefined).write(bytes);
    await vi.waitFor(() => expect(begun.length).toBe(1));
    await promisify(session.ping.bind(session))();
    request.close(constants.NGHTTP2_NO_ERROR);
    await settled();
    expect([server.finished.at(-1)?.code, called]).toEqual([Code.Canceled, []]);
    await vi.waitFor(() => expect(begun[0]?.destroyed).toBe(true));
  });

  test("a call whose deadline passes before its body is complete gets its response, then a reset", async () => {
    choose();
    const session = open({ settings: { initialWindowSize: 1024 * 1024 } });
    const request = session.request({ ...grpc, "grpc-timeout": "20m" });
    // More than the window of the stream, so that the rest comes if it is read.
    request.resume().write(textOf("x".repeat(200 * 1024)).subarray(0, -1));
    const [head] = await once(request, "response");
    await once(request, "close");
    expect([head["grpc-status"], request.rstCode]).toEqual(["4", constants.NGHTTP2_NO_ERROR]);
    expect([request.writableLength, server.finished.at(-1)?.code]).toEqual([0, Code.DeadlineExceeded]);
    await vi.waitFor(() => expect(begun[0]?.destroyed).toBe(true));
  });

  test.each([
    ["before it ends", pending],
    ["after a response", grpc],
    ["after a response with a header", grpc, "header"],
  ])("a call that fails on its connection %s ends no other", async (_name, head, text = "small") => {
    choose();
    const session = open({ settings: { initialWindowSize: 0 } });
    const request = session.request(head);
    request.on("error", () => undefined).end(textOf(text));
    await vi.waitFor(() => expect(begun.length).toBe(1));
    await promisify(session.ping.bind(session))();
    request.close(constants.NGHTTP2_INTERNAL_ERROR);
    await vi.waitFor(() => expect(begun[0]?.destroyed).toBe(true));
    await settled();
    expect(await grpcStatusOf(await sendHttp2(server.url, grpc, hello))).toBe(0);
  });

  test.each([
    ["closed", (stream: ServerHttp2Stream) => stream.close()],
    ["destroyed", (stream: ServerHttp2Stream) => void stream.destroy()],
  ])("a call whose stream is %s when its handler returns is cancelled", async (_name, end) => {
    choose();
    await begin(open());
    await null;
    // The handler goes on before the stream reports that it is closed.
    end(begun[0] as ServerHttp2Stream);
    held.gate.resolve();
    await settled();
    expect([server.finished.at(-1)?.code, server.faults]).toEqual([Code.Canceled, []]);
  });

  test("what is released passes no more of its body on", async () => {
    choose();
    const chunks: string[] = [];
    const plain = createHttp2Server().on("stream", (stream) => {
      const data = (chunk: Buffer): boolean => {
        chunks.push(chunk.toString());
        release(stream);
        stream.resume().on("end", () => stream.respond({ ":status": 204 }, { endStream: true }));
        return true;
      };
      readBody(stream, { data, end: () => void chunks.push("end") });
    });
    onTestFinished(() => void plain.close());
    await once(plain.listen(0, "127.0.0.1"), "listening");
    const session = connect(`http://127.0.0.1:${(plain.address() as AddressInfo).port}`);
    onTestFinished(() => session.destroy());
    const request = session.request(grpc);
    request.resume().write("first");
    await vi.waitFor(() => expect(chunks).toEqual(["first"]));
    request.end("second");
    await once(request, "close");
    expect(chunks).toEqual(["first"]);
  });

  test("a call whose connection closes is cancelled", async () => {
    choose();
    const session = open();
    await begin(session);
    session.destroy();
    await settled();
    expect([server.finished.at(-1)?.code, reasons]).toEqual([Code.Canceled, [Code.Canceled]]);
  });

  test("a response waits for the window of its peer", async () => {
    choose();
    const session = open({ settings: { initialWindowSize: 0 } });
    const request = session.request(grpc);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    const status = statusOf(request);
    request.end(textOf("small"));
    await once(request, "response");
    await settled();
    expect(chunks).toEqual([]);
    session.settings({ initialWindowSize: 9 });
    expect(await status).toBe("0");
    expect(Buffer.concat(chunks)).toEqual(textOf("5 characters"));
    expect(wayOfLast()).toBe(way);
  });

  test("a response that its peer does not read goes with its reset, and the connection stays", async () => {
    choose();
    const session = open({ settings: { initialWindowSize: 0 } });
    const request = session.request(grpc);
    request.end(textOf("small"));
    await once(request, "response");
    request.close(constants.NGHTTP2_CANCEL);
    await once(request, "close");
    session.settings({ initialWindowSize: 65_535 });
    const next = session.request(grpc);
    next.end(textOf("small"));
    expect(await statusOf(next)).toBe("0");
    expect(begun.map(({ headersSent }) => headersSent)).toEqual(Array(2).fill(way !== "directly"));
  });

  test("a reset after the response changes nothing", async () => {
    choose();
    const session = open();
    const request = session.request(grpc);
    request.on("trailers", () => request.close(constants.NGHTTP2_CANCEL)).on("error", () => undefined);
    request.resume().end(textOf("small"));
    await once(request, "close");
    await settled();
    expect([server.finished.at(-1)?.code, wayOfLast()]).toEqual([undefined, way]);
  });

  test("a session that is closed waits for its calls", async () => {
    choose();
    const session = open();
    const request = await begin(session);
    session.close();
    await turn();
    const status = statusOf(request);
    held.gate.resolve();
    expect(await status).toBe("0");
    expect(wayOfLast()).toBe(way);
    await once(session, "close");
  });

  test("a drain waits for its calls, and closes their connection", async () => {
    choose();
    const drained = Promise.withResolvers<{ text: string }>();
    const other = await openGatewayForTest({ library: { echo: () => drained.promise } });
    const session = connect(other.url);
    const request = session.request(grpc);
    const status = statusOf(request);
    request.end(hello);
    await vi.waitFor(() => expect(other.started.length).toBe(1));
    const done = other.gateway.drain(10_000);
    await once(session, "goaway");
    drained.resolve({ text: "at last" });
    expect(await status).toBe("0");
    expect(wayOfLast()).toBe(way);
    await Promise.all([done, once(session, "close")]);
  });

  test("calls that are over do not count as open", async () => {
    choose();
    const limited = await openGatewayForTest({
      limits: { maxCallsPerAddress: 1 },
      library: { echo: ({ text }) => ({ text }) },
    });
    for (const _call of [1, 2, 3]) {
      expect(grpcStatusOf(await sendHttp2(limited.url, grpc, hello))).toBe(0);
    }
  });

  test("what has come before a stream begins is read first", async () => {
    choose();
    onStreamStart((stream) => {
      for (const at of [0, 2]) stream.push(hello.subarray(at, at + 2));
    });
    const request = open().request(grpc);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.end(hello.subarray(4));
    expect(await statusOf(request)).toBe("0");
    expect(Buffer.concat(chunks)).toEqual(textOf("2 characters"));
    expect(wayOfLast()).toBe(way);
  });

  test("calls that begin together are all served", async () => {
    choose();
    const session = open();
    const requests = Array.from({ length: 600 }, () => session.request(grpc).end(textOf("small")));
    expect(new Set(await Promise.all(requests.map(statusOf)))).toEqual(new Set(["0"]));
    expect(new Set(begun.map(({ headersSent }) => headersSent))).toEqual(new Set([way !== "directly"]));
  });
});
