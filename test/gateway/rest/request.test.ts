import { connect } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AdmitHead } from "../../../gateway/http/request-head.ts";
import { openHttp2, sendHttp1, sendHttp2, untilClosed } from "../../e2e/raw.ts";
import { openGateway, type TestGateway } from "../gateway-server.ts";
import { EchoMessageSchema } from "../testproto/gen/engage/test/v1/library_pb.ts";

const unknownCallerBytes = 1_000;
const maxBytes = 2_000;
const answer = create(EchoMessageSchema, { text: "from the head" });
const standings: Readonly<Record<string, ReturnType<AdmitHead>>> = {
  known: "known",
  unknown: "unknown",
  bounded: { maxBytes, tooLarge: () => new ConnectError("too large for it", Code.OutOfRange) },
  answered: { response: answer },
};

const admit: AdmitHead = ({ header, query }) => {
  const standing = standings[query("who") ?? header.get("x-who") ?? ""];
  if (standing === undefined) throw new ConnectError("not for you", Code.PermissionDenied);
  return standing;
};

const type = { "content-type": "application/json" };
const textOf = (bytes: number): string => `{"text":"${"x".repeat(bytes - 11)}"}`;

let server: TestGateway;
beforeAll(async () => {
  server = await openGateway({
    limits: { unknownCallerBytes, maxMessageBytes: 4_000 },
    admit: { echo: admit },
  });
});
afterAll(() => server.gateway.drain(0));

describe("from the head alone, whatever the body would be", () => {
  test.each([
    ["?who=nobody", {}, 403, "not for you"],
    ["", {}, 403, "not for you"],
    ["?who=%", {}, 403, "not for you"],
    ["?who=known&who=nobody", {}, 413, "larger than the limit of 4000 bytes"],
    ["", { "x-who": "unknown" }, 413, "larger than the limit of 1000 bytes"],
    ["?a=1&%77ho=answered", {}, 200, "from the head"],
  ])("%s %j: %i", async (query, headers, status, text) => {
    const path = `/v1/echo${query}`;
    const head = { ...type, ...headers, "content-length": "5000" };
    const http1 = await sendHttp1(server.port, `POST ${path}`, head);
    expect([http1.status, `${http1.body}`]).toEqual([status, expect.stringContaining(text)]);
    using request = openHttp2(server.url, { ":path": path, ...head });
    const http2 = await request.answer;
    expect([http2.status, `${http2.body}`]).toEqual([status, expect.stringContaining(text)]);
  });
});

test.each([
  ["known", 4_000, 4_001, 413],
  ["unknown", 1_000, 1_001, 413],
  ["bounded", 2_000, 2_001, 400],
])("the body of a caller that is %s has at most %i bytes, also inflated", async (who, most, more, status) => {
  const post = (body: Uint8Array, headers = {}) =>
    sendHttp2(server.url, { ":path": "/v1/echo", "x-who": who, ...type, ...headers }, body);
  for (const [encoding, pack] of [
    ["identity", Buffer.from],
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ] as const) {
    const headers = { "content-encoding": encoding };
    expect((await post(pack(textOf(most)), headers)).status).toBe(200);
    expect((await post(pack(textOf(more)), headers)).status).toBe(status);
  }
});

test("a connection goes on after a short body that is not read", async () => {
  const socket = connect(server.port, "127.0.0.1");
  const answers = untilClosed(socket);
  const head = "POST /v1/echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
  socket.write(`${head}content-length: 3\r\n\r\n{} ${head}connection: close\r\ncontent-length: 2\r\n\r\n{}`);
  expect((await answers).toString().match(/HTTP\/1\.1 403/g)).toHaveLength(2);
});

test("only REST is asked: other protocols have keys", async () => {
  const headers = { ":path": "/engage.test.v1.Library/Echo", ...type };
  expect((await sendHttp2(server.url, headers, Buffer.from(textOf(3_000)))).status).toBe(200);
});
