import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
  type SessionOptions,
} from "node:http2";
import { type AddressInfo, connect as connectTcp, createServer } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { envelope, grpcStatusOf, sendHttp2 } from "../../../e2e/raw.ts";
import { openGateway, openGatewayForTest } from "../../gateway-server.ts";
import { grpc, hello } from "../dial.ts";

/** Texts of requests and what the handler does with them. */
const handlers: Readonly<Record<string, (trailer: Headers, header: Headers) => string>> = {
  empty: () => "",
  "16 KiB": () => "a".repeat(16 * 1024),
  "60 KiB": () => "b".repeat(60 * 1024),
  "70 KiB": () => "c".repeat(70 * 1024),
  header: (_trailer, header) => {
    header.set("x-header", "set");
    return "with a header";
  },
  trailer: (trailer) => {
    trailer.set("x-trailer", "set");
    return "with a trailer";
  },
  refused: () => {
    throw new ConnectError("not today", Code.FailedPrecondition);
  },
};

let gate = Promise.withResolvers<void>();
const reasons: unknown[] = [];
const server = await openGateway({
  limits: { maxMessageBytes: 4 * 1024 * 1024 },
  library: {
    async echo({ text }, { responseHeader, responseTrailer }) {
      await null;
      return { text: handlers[text]?.(responseTrailer, responseHeader) ?? `${text.length} characters` };
    },
    async getBook({ name }, { signal }) {
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
  const read = (message: unknown): void => void (message as { stream: ServerHttp2Stream }).stream.pause();
  subscribe("http2.server.stream.start", read);
  onTestFinished(() => void unsubscribe("http2.server.stream.start", read));
}

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
  const cases: readonly [name: string, send: Send, head?: OutgoingHttpHeaders][] = [
    ...["small", ...Object.keys(handlers)].map((name): [string, Send] => [name, whole(name)]),
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
    ["more bytes than declared", (stream) => stream.end(Buffer.concat([textOf("y"), Buffer.alloc(9)]))],
    ["fewer bytes than declared", (stream) => stream.end(textOf("yyy").subarray(0, 7))],
    ["a malformed message", (stream) => stream.end(envelope(Buffer.from([0xff])))],
    ["no message", (stream) => stream.end()],
    ["a message that is too large", (stream) => stream.end(envelope(Buffer.alloc(9), 0, 5 * 1024 * 1024))],
    ["a malformed timeout", whole("small"), { "grpc-timeout": "soon" }],
    [
      "trailers of the client",
      (stream) => {
        stream.on("wantTrailers", () => stream.sendTrailers({ "x-of-client": "1" }));
        stream.end(textOf("small"));
      },
    ],
  ];

  test.each(cases)("of a response to %s are the same in both ways", async (_name, send, head = {}) => {
    const outcome = async (choose: () => void): Promise<unknown> => {
      choose();
      const before = server.finished.length;
      const { url, frames } = await openProxy();
      const session = connect(url);
      const waitForTrailers = true;
      const request = session.request({ ...grpc, "x-request-id": "r", ...head }, { waitForTrailers });
      if (send !== cases.at(-1)?.[1]) request.on("wantTrailers", () => request.sendTrailers({}));
      request.on("error", () => undefined).resume();
      const closed = once(request, "close");
      await send(request);
      await closed;
      session.destroy();
      await vi.waitFor(() => expect(server.finished.length).toBe(before + 1));
      const { code, bytesIn, bytesOut } = server.finished[before]!;
      return { frames: frames(), code, bytesIn, bytesOut };
    };
    const direct = await outcome(() => undefined);
    expect(direct).toEqual(await outcome(useNodeStreams));
  });

  test("of a response without a body to a request without one", async () => {
    expect(grpcStatusOf(await sendHttp2(server.url, grpc))).toBe(Code.Unimplemented);
  });
});

describe.each(ways)("streams that are read %s", (_name, choose) => {
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
  });

  test("a reset after the response changes nothing", async () => {
    choose();
    const session = open();
    const request = session.request(grpc);
    request.on("trailers", () => request.close(constants.NGHTTP2_CANCEL)).on("error", () => undefined);
    request.resume().end(textOf("small"));
    await once(request, "close");
    await settled();
    expect(server.finished.at(-1)?.code).toBe(undefined);
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
    const arrive = (message: unknown): void => {
      const { stream } = message as { stream: ServerHttp2Stream };
      for (const at of [0, 2]) stream.push(hello.subarray(at, at + 2));
    };
    subscribe("http2.server.stream.start", arrive);
    onTestFinished(() => void unsubscribe("http2.server.stream.start", arrive));
    const request = open().request(grpc);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.end(hello.subarray(4));
    expect(await statusOf(request)).toBe("0");
    expect(Buffer.concat(chunks)).toEqual(textOf("2 characters"));
  });

  test("calls that begin together are all served", async () => {
    choose();
    const session = open();
    const requests = Array.from({ length: 600 }, () => session.request(grpc).end(textOf("small")));
    expect(new Set(await Promise.all(requests.map(statusOf)))).toEqual(new Set(["0"]));
  });
});
