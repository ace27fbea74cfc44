import { gzipSync } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { envelope, grpcStatusOf, sendHttp2 } from "../../e2e/raw.ts";
import { openGatewayForTest } from "../gateway-server.ts";
import { type EchoMessage, EchoMessageSchema } from "../testproto/gen/engage/test/v1/library_pb.ts";

const pathOf = (method: string) => `/engage.test.v1.Library/${method}`;
const binary = Buffer.from([0x0a, 2, 0x68, 0x69]);
const json = Buffer.from('{"text":"hi"}');

const grpcTypes: [type: string, payload: Buffer, valid: string, flags: number[]][] = [
  ["application/grpc", binary, "0, 1", [2, 3, 4, 128, 129, 255]],
  ["application/grpc+proto", binary, "0, 1", [2, 128]],
  ["application/grpc+json", json, "0, 1", [2, 128]],
  ["application/grpc-web+proto", binary, "0, 1, 128", [2, 4, 130]],
  ["application/grpc-web+json", json, "0, 1, 128", [2]],
];
const grpcCases = grpcTypes.flatMap(([type, payload, valid, all]) =>
  all.flatMap((flags) => ["Echo", "Collect"].map((method) => [flags, method, type, payload, valid] as const)),
);

const library = {
  async collect(messages: AsyncIterable<EchoMessage>) {
    let last = create(EchoMessageSchema);
    for await (const message of messages) last = message;
    return last;
  },
};

describe.each([true, false])("with the lanes %j", (lanes) => {
  test.each(grpcCases)(
    "flags %d of a message to %s as %s are an error",
    async (flags, method, type, payload, valid) => {
      const { url, seen } = await openGatewayForTest({ lanes, library });
      const response = await sendHttp2(
        url,
        { ":path": pathOf(method), "content-type": type },
        envelope(payload, flags),
      );
      expect(grpcStatusOf(response)).toBe(Code.Internal);
      const reported = decodeURIComponent(String(response.headers["grpc-message"] ?? response.body));
      expect(reported).toContain(`the flags of a message are ${flags}, valid are ${valid}`);
      expect(seen.contexts.filter(({ method }) => method.name === "Echo")).toEqual([]);
    },
  );

  test.each([4, 128])("flags %d of a message of a stream by Connect are an error", async (flags) => {
    const { url } = await openGatewayForTest({ lanes, library });
    const response = await sendHttp2(
      url,
      { ":path": pathOf("Collect"), "content-type": "application/connect+proto" },
      envelope(binary, flags),
    );
    expect(JSON.parse(response.body.toString("utf8", 5))).toMatchObject({
      error: {
        code: "internal",
        message: expect.stringContaining(`the flags of a message are ${flags}, valid are 0, 1, 2`),
      },
    });
  });

  test("a compressed message is read where its encoding is named, and an error elsewhere", async () => {
    const { url } = await openGatewayForTest({ lanes, library });
    const head = { ":path": pathOf("Echo"), "content-type": "application/grpc" };
    const body = envelope(gzipSync(binary), 1);
    const statuses = [
      await sendHttp2(url, { ...head, "grpc-encoding": "gzip" }, body),
      await sendHttp2(url, { ...head, "grpc-encoding": "identity" }, body),
      await sendHttp2(url, head, body),
    ].map(grpcStatusOf);
    expect(statuses).toEqual([0, Code.Internal, Code.Internal]);
  });
});
