import { gzipSync } from "node:zlib";
import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultLimits } from "../../../gateway/limits.ts";
import { envelope, grpcStatusOf, sendHttp1, sendHttp2 } from "../../e2e/raw.ts";
import { openGateway, type TestGateway } from "../gateway-server.ts";

const path = "/engage.test.v1.Library/Echo";
const json = { ...defaultLimits.json, members: 100, elements: 100 };
const message = 'an object has more than 100 members (limit "members") at byte';

const objectOf = (members: number): string =>
  `{"text":"${"x".repeat(5_000)}",${Array.from({ length: members - 1 }, (_, i) => `"k${i}":0`).join(",")}}`;
const within = objectOf(100);
const beyond = objectOf(101);

describe.each([true, false])("with the lanes %j", (lanes) => {
  let server: TestGateway;
  beforeAll(async () => {
    server = await openGateway({ lanes, limits: { json }, unknownMembers: "ignore" });
  });
  afterAll(() => server.gateway.drain(0));

  describe.each([
    ["Connect", path],
    ["REST", "/v1/echo"],
  ])("%s", (_protocol, target) => {
    const post = (body: Buffer, headers: Record<string, string> = {}) =>
      sendHttp1(
        server.port,
        `POST ${target}`,
        { "content-type": "application/json", "content-length": `${body.length}`, ...headers },
        body,
      );

    test.each([
      ["plain", (text: string) => Buffer.from(text), {}],
      ["long", (text: string) => Buffer.from(text.padStart(1_000_000)), {}],
      ["compressed", (text: string) => gzipSync(text), { "content-encoding": "gzip" }],
    ])(
      "a %s body within the bounds is taken, one beyond is refused by name",
      async (_name, pack, headers) => {
        expect((await post(pack(within), headers)).status).toBe(200);
        const answer = await post(pack(beyond), headers);
        expect(answer.status).toBe(400);
        expect(JSON.parse(answer.body.toString()).message).toContain(message);
      },
    );
  });

  test.each(["gzip", "GZIP", "x-gzip", "X-GZip"])(
    "a body with content-encoding %s is taken",
    async (encoding) => {
      const body = gzipSync(within);
      const headers = { "content-type": "application/json", "content-encoding": encoding };
      expect(
        (
          await sendHttp1(
            server.port,
            "POST /v1/echo",
            { ...headers, "content-length": `${body.length}` },
            body,
          )
        ).status,
      ).toBe(200);
    },
  );

  test.each([
    ["gRPC", "application/grpc+json", {}, (text: string) => envelope(Buffer.from(text))],
    [
      "compressed gRPC",
      "application/grpc+json",
      { "grpc-encoding": "gzip" },
      (text: string) => envelope(gzipSync(text), 1),
    ],
    ["gRPC-Web", "application/grpc-web+json", {}, (text: string) => envelope(Buffer.from(text))],
  ])("%s with JSON", async (_name, type, headers, pack) => {
    const send = (text: string) =>
      sendHttp2(server.url, { ":path": path, "content-type": type, ...headers }, pack(text));
    expect(grpcStatusOf(await send(within))).toBe(0);
    expect(grpcStatusOf(await send(beyond))).toBe(Code.InvalidArgument);
  });
});
