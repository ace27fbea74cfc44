import { gzipSync } from "node:zlib";
import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { envelope, grpcStatusOf, type RawAnswer, sendHttp1, sendHttp2 } from "../../e2e/raw.ts";
import { openGateway, type TestGateway } from "../gateway-server.ts";
import type { EchoMessage } from "../testproto/gen/engage/test/v1/library_pb.ts";

const path = "/engage.test.v1.Library/Echo";

interface Way {
  readonly name: string;
  readonly send: (server: TestGateway, text: string) => Promise<RawAnswer>;
  readonly codeOf: (answer: RawAnswer) => number;
}

const httpCode = ({ status, body }: RawAnswer): number =>
  status === 200
    ? 0
    : (({ invalid_argument: 3 } as Record<string, number>)[codeIn(body)] ?? Number(codeIn(body)));
const codeIn = (body: Buffer): string => String((JSON.parse(body.toString()) as { code: unknown }).code);

const unary = (name: string, target: string, pack: (text: string) => Buffer, headers: object): Way => ({
  name,
  codeOf: httpCode,
  send: (server, text) => {
    const body = pack(text);
    const head = { "content-type": "application/json", "content-length": `${body.length}`, ...headers };
    return sendHttp1(server.port, `POST ${target}`, head, body);
  },
});

const framed = (type: string, frame: (text: string) => Buffer, headers: object = {}): Way => ({
  name: `${type} ${JSON.stringify(headers)}`,
  codeOf: grpcStatusOf,
  send: (server, text) =>
    sendHttp2(server.url, { ":path": path, "content-type": type, te: "trailers", ...headers }, frame(text)),
});

const plain = (text: string): Buffer => Buffer.from(text);
const gzip = { "content-encoding": "gzip" };
const ways: readonly Way[] = [
  unary("REST", "/v1/echo", plain, {}),
  unary("REST, compressed", "/v1/echo", gzipSync, gzip),
  unary("Connect", path, plain, {}),
  unary("Connect, compressed", path, gzipSync, gzip),
  framed("application/grpc+json", (text) => envelope(plain(text))),
  framed("application/grpc+json", (text) => envelope(gzipSync(text), 1), { "grpc-encoding": "gzip" }),
  framed("application/grpc-web+json", (text) => envelope(plain(text))),
];

/** Values that are read exactly, by the member of the request that shows it. */
const taken: readonly [text: string, expected: Partial<EchoMessage>][] = [
  ['{"big":9007199254740993}', { big: 9007199254740993n }],
  ['{"big":"9007199254740993"}', { big: 9007199254740993n }],
  ['{"big":-9223372036854775808}', { big: -9223372036854775808n }],
  ['{"big":9223372036854775807}', { big: 9223372036854775807n }],
  ['{"big":9007199254740993.0}', { big: 9007199254740993n }],
  ['{"big":9.007199254740993e15}', { big: 9007199254740993n }],
  ['{"big":1e3}', { big: 1000n }],
  ['{"big":"1e3"}', { big: 1000n }],
  ['{"big":"1.0","number":"10e-1"}', { big: 1n, number: 1 }],
  ['{"big":1.0,"number":2E0}', { big: 1n, number: 2 }],
  ['{"text":"9007199254740993, 1e999","big":9007199254740993}', { text: "9007199254740993, 1e999" }],
  ['\ufeff{"text":"a"}', { text: "a" }],
  ['{"genre":"GENRE_SCIENCE"}', { genre: 2 }],
];

/** Values that are refused, by the path at the start of the message. */
const refused: readonly [text: string, message: string][] = [
  ['{"big":9223372036854775808}', "big: "],
  ['{"big":1e400}', "big: 1e400 is not an int64"],
  ['{"big":9007199254740993.5}', "big: 9007199254740993.5 is not an int64"],
  ['{"big":1.5}', "big: 1.5 is not an int64"],
  ['{"big":"0x1"}', 'big: "0x1" is not an int64'],
  ['{"big":"0b1"}', 'big: "0b1" is not an int64'],
  ['{"big":" 1"}', 'big: " 1" is not an int64'],
  ['{"big":"1 "}', 'big: "1 " is not an int64'],
  ['{"big":"+1"}', 'big: "+1" is not an int64'],
  ['{"big":"1.5"}', 'big: "1.5" is not an int64'],
  ['{"big":""}', 'big: "" is not an int64'],
  ['{"number":"0x1"}', 'number: "0x1" is not an int32'],
  ['{"number":" 1"}', 'number: " 1" is not an int32'],
  ['{"number":9007199254740993}', "number: "],
  ['{"filters":[{},{"values":[1,"0x2"]}]}', 'filters[1].values[1]: "0x2" is not an int32'],
  ['{"text":9007199254740993}', "text: 9007199254740993 is not a string"],
  ['{"filters":9007199254740993}', "filters: "],
  ['{"filters":[9007199254740993]}', "filters[0]: 9007199254740993 is not an object"],
  ['{"textt":"a"}', 'textt: is not a known member, the nearest is "text"'],
  ['{"Text":"a"}', 'Text: is not a known member, the nearest is "text"'],
  [
    '{"filters":[{"inner":{"columName":"a"}}]}',
    'filters[0].inner.columName: is not a known member, the nearest is "columnName"',
  ],
  [
    '{"filters":[{"colum_name":"a"}]}',
    'filters[0].colum_name: is not a known member, the nearest is "column_name"',
  ],
  [
    '{"xyzzy":1}',
    "xyzzy: is not a known member, leave it out; valid are text, number, big, data, genre, filters, genres, value, any",
  ],
  [
    '{"genre":"GENRE_SCIENSE"}',
    'genre: "GENRE_SCIENSE" is not a Genre, the nearest is GENRE_SCIENCE, valid are ',
  ],
  ["\ufeff\ufeff{}", "body: not JSON"],
];

describe.each([true, false])("with the lanes %j", (lanes) => {
  let server: TestGateway;
  let lenient: TestGateway;
  beforeAll(async () => {
    server = await openGateway({ lanes });
    lenient = await openGateway({ lanes, unknownMembers: "ignore" });
  });
  afterAll(() => Promise.all([server.gateway.drain(0), lenient.gateway.drain(0)]));

  describe.each(ways)("$name", ({ send, codeOf }) => {
    test.each(taken)("%s is taken", async (text, expected) => {
      let seen: EchoMessage | undefined;
      const own = await openGateway({
        lanes,
        library: {
          echo(request) {
            seen = request;
            return request;
          },
        },
      });
      const answer = await send(own, text);
      await own.gateway.drain(0);
      expect(codeOf(answer)).toBe(0);
      expect(seen).toMatchObject(expected);
    });

    test.each(refused)("%s is refused", async (text, message) => {
      const answer = await send(server, text);
      expect(codeOf(answer)).toBe(Code.InvalidArgument);
      const trailer = String(answer.headers["grpc-message"] ?? "");
      const reported = decodeURIComponent(
        `${trailer}${answer.body.toString("utf8").replaceAll("%22", '\\"')}`,
      );
      expect(reported.replaceAll('\\"', '"')).toContain(message);
    });

    test("a lenient server ignores members that are not known", async () => {
      expect(codeOf(await send(lenient, '{"textt":1,"filters":[{"xyzzy":{}}],"big":9007199254740993}'))).toBe(
        0,
      );
      expect(codeOf(await send(lenient, '{"textt":1,"big":"0x1"}'))).toBe(Code.InvalidArgument);
    });
  });

  test("at most twenty members are named", async () => {
    const members = Array.from({ length: 5_000 }, (_, i) => `"k${i}":0`);
    const answer = await ways[0]!.send(server, `{${members.join(",")}}`);
    const [details] = (JSON.parse(answer.body.toString()) as { details: { fieldViolations: object[] }[] })
      .details;
    expect(details!.fieldViolations).toHaveLength(20);
    expect(details!.fieldViolations[0]).toMatchObject({ field: "k0", reason: "UNKNOWN_MEMBER" });
  });

  test.each([
    "big=9007199254740993",
    "big=1e3",
    "bigNatural=18446744073709551615",
    "maybe_big=9007199254740993",
  ])("the query %s is read exactly", async (query) => {
    expect((await sendHttp1(server.port, `GET /v1/books:search?${query}`, {})).status).toBe(200);
  });

  test.each([
    "big=0x1",
    "big=+1",
    "big=1.5",
    "small=0x1",
    "numbers=%201",
    "maybe_big=0x1",
    "big=9223372036854775808",
  ])("the query %s is refused", async (query) => {
    expect((await sendHttp1(server.port, `GET /v1/books:search?${query}`, {})).status).toBe(400);
  });

  test.each(["/v1/books/0x1", "/v1/books/%201", "/v1/books/1.5", "/v1/books/9223372036854775808"])(
    "the path %s is refused",
    async (target) => {
      expect((await sendHttp1(server.port, `GET ${target}`, {})).status).toBe(400);
    },
  );
});
