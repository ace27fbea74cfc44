import { once } from "node:events";
import { connect, type ServerHttp2Stream } from "node:http2";
import { expect, onTestFinished, test, vi } from "vitest";
import type { NativeStream } from "../../../../gateway/http/http2/observed-members.ts";
import { OpenBytes } from "../../../../gateway/http/open-bytes.ts";
import { sendHttp2 } from "../../../e2e/raw.ts";
import { onStreamStart } from "../../stream-start.ts";
import { grpc } from "../dial.ts";
import { openDirectServer, textOf } from "./direct-server.ts";

const { server, begun } = await openDirectServer();

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
