import { once } from "node:events";
import { type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from "node:http2";
import { type AddressInfo, connect as connectTcp, createServer } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { Code } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { envelope, grpcStatusOf, sendHttp2 } from "../../../e2e/raw.ts";
import { grpc } from "../dial.ts";
import { openDirectServer, textOf, useNodeStreams } from "./direct-server.ts";

const { server, begun, wayOfLast } = await openDirectServer();

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
