import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createServer as createHttp2Server,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
  type SessionOptions,
} from "node:http2";
import { type AddressInfo, connect as connectTcp, createServer } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { promisify } from "node:util";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { readBody, release } from "../../../../gateway/http/http2/direct-streams.ts";
import type { NativeStream } from "../../../../gateway/http/http2/observed-members.ts";
import { OpenBytes } from "../../../../gateway/http/open-bytes.ts";
import { envelope, grpcStatusOf, sendHttp2 } from "../../../e2e/raw.ts";
import { openGateway, openGatewayForTest } from "../../gateway-server.ts";
import { onStreamStart } from "../../stream-start.ts";
import { grpc, hello } from "../dial.ts";

/** Texts of requests and what the handler does with them. */
const handlers: Readonly<Record<string, (context: HandlerContext) => string>> = {
  empty: () => "",
  "16 KiB": () => "a".repeat(16 * 1024),
  "60 KiB": () => "b".repeat(60 * 1024),
  // A text of this size takes four bytes of a message, and five of its frame.
  "64 KiB less a byte": () => "c".repeat(64 * 1024 - 1 - 9),
  "64 KiB": () => "c".repeat(64 * 1024 - 9),
  "a message of 64 KiB less a byte": () => "c".repeat(64 * 1024 - 1 - 4),
  "a message of 64 KiB": () => "c".repeat(64 * 1024 - 4),
  "70 KiB": () => "c".repeat(70 * 1024),
  header: ({ responseHeader }) => {
    responseHeader.set("x-header", "set");
    return "with a header";
  },
  trailer: ({ responseTrailer }) => {
    responseTrailer.set("x-trailer", "set");
    return "with a trailer";
  },
  refused: () => {
    throw new ConnectError("not today", Code.FailedPrecondition);
  },
};

let gate = Promise.withResolvers<void>();
const reasons: unknown[] = [];
const called: string[] = [];
const server = await openGateway({
  limits: { maxMessageBytes: 4 * 1024 * 1024 },
  library: {
    // A handler that looks at the headers of its response has some.
    async echo({ text }, context) {
      await null;
      return { text: handlers[text]?.(context) ?? `${text.length} characters` };
    },
    async getBook({ name }, { signal }) {
      called.push(name);
      signal.addEventListener("abort", () => reasons.push(ConnectError.from(signal.reason).code));
      await gate.promise;
      return { name };
    },
  },
});
afterAll(() => server.gateway.drain(0));
/** The first call of a process shows how Node sends a response. */
beforeAll(() => sendHttp2(server.url, grpc, hello));

const textOf = (text: string): Buffer => {
  const length = Buffer.byteLength(text);
  const varint = [];
  for (let rest = length; rest > 0; rest >>>= 7) varint.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  return envelope(Buffer.concat([Buffer.from([0x0a, ...varint]), Buffer.from(text)]));
};

/** Streams that another part of the process has begun to use stay Node's. */
function useNodeStreams(): void {
  onStreamStart((stream) => void stream.pause());
}

/** The streams of the server in a test. */
const begun: ServerHttp2Stream[] = [];
beforeEach(() => {
  begun.length = 0;
  onStreamStart((stream) => void begun.push(stream));
});

/** Returns how the server responded on its last stream. Node is not asked to send what goes directly. */
const wayOfLast = (): string => (begun.at(-1)?.headersSent === false ? "directly" : "by streams of Node");

/** Reads a response and returns the status in its trailers. */
async function statusOf(request: ClientHttp2Stream): Promise<unknown> {
  const [trailers] = await once(request.resume(), "trailers");
  return trailers["grpc-status"];
}

const ways: readonly [name: string, choose: () => void][] = [
  ["directly", () => undefined],
  ["by streams of Node", useNodeStreams],
];

describe("frames", () => {
  interface Frame {
    readonly type: number;
    readonly flags: number;
    readonly payload: string;
  }
  /** Opens a proxy of the gateway which keeps the bytes of responses. */
  async function openProxy(): Promise<{ readonly url: string; frames(): readonly Frame[] }> {
    const chunks: Buffer[] = [];
    const proxy = createServer((client) => {
      const upstream = connectTcp(server.port, "127.0.0.1");
      upstream.on("data", (chunk: Buffer) => chunks.push(chunk));
      client.on("error", () => upstream.destroy()).pipe(upstream);
      upstream.on("error", () => client.destroy()).pipe(client);
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void proxy.close());
    await once(proxy, "listening");
    const frames = function* (): Generator<Frame> {
      const bytes = Buffer.concat(chunks);
      for (let at = 0; at + 9 <= bytes.length; ) {
        const end = at + 9 + bytes.readUIntBE(at, 3);
        const type = bytes.readUInt8(at + 3);
        // Frames of the connection, and windows, which open at different times, are no part of a response.
        if (bytes.readUInt32BE(at + 5) !== 0 && type !== windowUpdate)
          yield { type, flags: bytes.readUInt8(at + 4), payload: bytes.toString("latin1", at + 9, end) };
        at = end;
      }
    };
    return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, frames: () => [...frames()] };
  }
  const windowUpdate = 8;

  type Send = (stream: ClientHttp2Stream) => unknown;
  const whole =
    (text: string): Send =>
    (stream) =>
      stream.end(textOf(text));
  type Case = readonly [name: string, send: Send, head?: OutgoingHttpHeaders];
  const direct: readonly Case[] = [
    ...["small", "empty", "16 KiB", "60 KiB", "64 KiB less a byte"].map((name): Case => [name, whole(name)]),
    [
      "small DATA frames",
      async (stream) => {
        for (const byte of textOf("small")) {
          stream.write(Buffer.from([byte]));
          await turn();
        }
        stream.end();
      },
    ],
    ["a body larger than the windows", whole("x".repeat(3 * 1024 * 1024))],
    [
      "a body whose end comes later",
      async (stream) => {
        stream.write(textOf("y"));
        await turn();
        stream.end();
      },
    ],
    [
      "trailers of the client",
      (stream) => {
        stream.on("wantTrailers", () => stream.sendTrailers({ "x-of-client": "1" }));
        stream.end(textOf("small"));
      },
    ],
  ];
  const others: readonly Case[] = [
    ...["64 KiB", "70 KiB", "header", "trailer", "refused"].map((name): Case => [name, whole(name)]),
    ["more bytes than declared", (stream) => stream.end(Buffer.concat([textOf("y"), Buffer.alloc(9)]))],
    ["fewer bytes than declared", (stream) => stream.end(textOf("yyy").subarray(0, 7))],
    ["a malformed message", (stream) => stream.end(envelope(Buffer.from([0xff])))],
    ["no message", (stream) => stream.end()],
    ["a message that is too large", (stream) => stream.end(envelope(Buffer.alloc(9), 0, 5 * 1024 * 1024))],
    ["a malformed timeout", whole("small"), { "grpc-timeout": "soon" }],
  ];

  test.each([
    ...direct.map(([name, send, head]) => [name, "directly", send, head] as const),
    ...others.map(([name, send, head]) => [name, "by streams of Node", send, head] as const),
  ])("of a response to %s, which is sent %s, are those of Node", async (_name, way, send, head = {}) => {
    const outcome = async (choose: () => void): Promise<unknown> => {
      choose();
      const before = server.finished.length;
      const { url, frames } = await openProxy();
      const session = connect(url);
      const waitForTrailers = true;
      const request = session.request({ ...grpc, "x-request-id": "r", ...head }, { waitForTrailers });
      if (send !== direct.at(-1)?.[1]) request.on("wantTrailers", () => request.sendTrailers({}));
      request.on("error", () => undefined).resume();
      const closed = once(request, "close");
      await send(request);
      await closed;
      session.destroy();
      await vi.waitFor(() => expect(server.finished.length).toBe(before + 1));
      const { code, bytesIn, bytesOut } = server.finished[before]!;
      return { frames: frames(), code, bytesIn, bytesOut };
    };
    const first = await outcome(() => undefined);
    expect([wayOfLast(), begun.at(-1)?.aborted]).toEqual([way, false]);
    expect(first).toEqual(await outcome(useNodeStreams));
    expect(wayOfLast()).toBe("by streams of Node");
  });

  test("of a response without a body to a request without one", async () => {
    expect(grpcStatusOf(await sendHttp2(server.url, grpc))).toBe(Code.Unimplemented);
  });
});

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
    gate = Promise.withResolvers();
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
  ])("a call that its peer resets after %s, before its end, is never made", async (_name, bytes) => {
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
    gate.resolve();
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
    gate.resolve();
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

test("only a body that goes on opens the window of its stream", async () => {
  const reads: unknown[] = [];
  onStreamStart((stream) => {
    stream._read = vi.fn(stream._read);
    reads.push(stream._read);
  });
  const sizes = [1, 20_000];
  for (const size of sizes) await sendHttp2(server.url, grpc, textOf("x".repeat(size)));
  expect(reads.map((read) => vi.mocked(read as ServerHttp2Stream["_read"]).mock.calls.length > 0)).toEqual([
    false,
    true,
  ]);
});

test("a response that is sent later keeps its bytes", async () => {
  const writes: { buffer?: unknown }[] = [];
  onStreamStart((stream) => {
    const native = Object.getOwnPropertySymbols(stream).find(({ description }) => description === "kHandle");
    const handle = (stream as unknown as Record<symbol, NativeStream>)[native as symbol] as NativeStream;
    const write = handle.writeBuffer;
    handle.writeBuffer = (...values) => {
      const request = write.apply(handle, values);
      writes.push(request as { buffer?: unknown });
      return request;
    };
  });
  const session = connect(server.url, { settings: { initialWindowSize: 0 } });
  onTestFinished(() => session.destroy());
  const request = session.request(grpc);
  request.resume().end(textOf("small"));
  await once(request, "response");
  expect(writes.map(({ buffer }) => buffer)).toEqual([textOf("5 characters")]);
});

test.each(["small", "header", "refused", "70 KiB"])(
  "a stream whose body and response (%s) are complete is neither read nor closed again",
  async (text) => {
    const again: unknown[] = [];
    onStreamStart((stream) => {
      for (const name of ["resume", "close"] as const) {
        vi.spyOn(stream, name).mockImplementation(() => {
          again.push(name);
          return stream;
        });
      }
    });
    await sendHttp2(server.url, grpc, textOf(text));
    await vi.waitFor(() => expect(begun[0]?.destroyed).toBe(true));
    expect(again).toEqual([]);
  },
);

test("responses whose message has 64 KiB or more are counted until they are read", async () => {
  const counted = vi.spyOn(OpenBytes.prototype, "openResponse");
  onTestFinished(() => counted.mockRestore());
  for (const text of ["a message of 64 KiB less a byte", "a message of 64 KiB"])
    await sendHttp2(server.url, grpc, textOf(text));
  expect(counted.mock.calls.map(([_connection, _owner, bytes]) => bytes)).toEqual([64 * 1024]);
});
