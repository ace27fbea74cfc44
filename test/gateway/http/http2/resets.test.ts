import { Code } from "@connectrpc/connect";
import { describe, expect, test, vi } from "vitest";
import { field, flags, frame, int32, preface } from "../../../e2e/hostile/http2-frames.ts";
import { dial, emptySettings, hello } from "../dial.ts";
import { openDirectServer, ways } from "./direct-server.ts";

const { server, called, begun } = await openDirectServer();

const getBook = Buffer.concat([
  field(":method", "POST"),
  field(":path", "/engage.test.v1.Library/GetBook"),
  field(":scheme", "http"),
  field(":authority", "localhost"),
  field("content-type", "application/grpc"),
]);
const noError = int32(0);

// The client of Node ends a request before it resets it.
describe.each(ways)("a call that is read %s and reset with NO_ERROR is never made", (_way, choose) => {
  test.each([
    ["half of its body", hello.subarray(0, 6)],
    ["its message", hello],
  ])("after %s, before its end", async (_name, bytes) => {
    choose();
    called.length = 0;
    const before = server.finished.length;
    const socket = dial(server);
    socket.write(
      Buffer.concat([
        preface,
        emptySettings,
        frame("headers", 1, flags.endHeaders, getBook),
        frame("data", 1, 0, bytes),
      ]),
    );
    await vi.waitFor(() => expect(begun.length).toBe(1));
    socket.write(frame("reset", 1, 0, noError));
    await vi.waitFor(() => expect(server.finished.length).toBe(before + 1));
    expect([server.finished.at(-1)?.code, called]).toEqual([Code.Canceled, []]);
    await vi.waitFor(() => expect(begun[0]?.destroyed).toBe(true));
  });
});
