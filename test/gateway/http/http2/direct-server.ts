import { once } from "node:events";
import type { ClientHttp2Stream, ServerHttp2Stream } from "node:http2";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { envelope, sendHttp2 } from "../../../e2e/raw.ts";
import { openGateway } from "../../gateway-server.ts";
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

/**
 * Opens a server whose responses are sent directly, and watches its streams. A test file calls this while it is loaded:
 * modules stay loaded for later files, but their hooks do not.
 */
export async function openDirectServer() {
  /** Calls of GetBook wait for its gate. */
  const held = { gate: Promise.withResolvers<void>() };
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
        await held.gate.promise;
        return { name };
      },
    },
  });
  afterAll(() => server.gateway.drain(0));
  // The first call of a process shows how Node sends a response.
  beforeAll(() => sendHttp2(server.url, grpc, hello));

  /** The streams of the server in a test. */
  const begun: ServerHttp2Stream[] = [];
  beforeEach(() => {
    begun.length = 0;
    onStreamStart((stream) => void begun.push(stream));
  });

  /** Returns how the server responded on its last stream. Node is not asked to send what goes directly. */
  const wayOfLast = (): string => (begun.at(-1)?.headersSent === false ? "directly" : "by streams of Node");
  return { server, held, reasons, called, begun, wayOfLast };
}

export const textOf = (text: string): Buffer => {
  const length = Buffer.byteLength(text);
  const varint = [];
  for (let rest = length; rest > 0; rest >>>= 7) varint.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  return envelope(Buffer.concat([Buffer.from([0x0a, ...varint]), Buffer.from(text)]));
};

/** Streams that another part of the process has begun to use stay Node's. */
export function useNodeStreams(): void {
  onStreamStart((stream) => void stream.pause());
}

/** Reads a response and returns the status in its trailers. */
export async function statusOf(request: ClientHttp2Stream): Promise<unknown> {
  const [trailers] = await once(request.resume(), "trailers");
  return trailers["grpc-status"];
}

export const ways: readonly [name: string, choose: () => void][] = [
  ["directly", () => undefined],
  ["by streams of Node", useNodeStreams],
];
