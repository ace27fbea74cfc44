import type { ServerHttp2Stream } from "node:http2";
import { expect, test, vi } from "vitest";
import { envelope, sendHttp2 } from "../../e2e/raw.ts";
import { openGatewayForTest } from "../gateway-server.ts";
import { onStreamStart } from "../stream-start.ts";

test.each([
  ["small", Buffer.from([0x0a, 2, 0x68, 0x69])],
  ["large", Buffer.concat([Buffer.from([0x0a, 0xa0, 0x8d, 0x06]), Buffer.alloc(100_000, "a")])],
])(
  "a stream, which Node keeps for long, does not keep its finished call with a %s message",
  async (_, message) => {
    const streams: ServerHttp2Stream[] = [];
    onStreamStart((stream) => void streams.push(stream));
    const { url } = await openGatewayForTest();
    const valuesOf = (description: string) =>
      streams.flatMap((stream) =>
        Object.getOwnPropertySymbols(stream)
          .filter((symbol) => symbol.description === description)
          .map((symbol) => stream[symbol as never]),
      );

    const head = { ":path": "/engage.test.v1.Library/Echo", "content-type": "application/grpc" };
    const { headers } = await sendHttp2(url, head, envelope(message));

    expect(headers["grpc-status"]).toBe("0");
    await vi.waitFor(() => expect(valuesOf("close listener")).toEqual([null]));
    expect(valuesOf("body reader")).toEqual([undefined]);
    expect(streams.map((stream) => stream.listenerCount("wantTrailers"))).toEqual([0]);
  },
);
