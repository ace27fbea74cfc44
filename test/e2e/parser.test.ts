import { readFileSync } from "node:fs";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { packageRoot } from "../../base/package/root.ts";
import { loadConfig } from "../../cmd/config/config.ts";
import { type RunningServer, startServer } from "../../cmd/serve/server.ts";
import { ParserStream } from "../../gen/engage/parser/v1/parser_stream_pb.ts";
import { folderWith } from "../cmd/config/load.ts";
import { runEngage } from "../cmd/run-engage.ts";
import { type LineResult, ParserClient } from "./parser-client.ts";
import { envelope, grpcStatusOf, openHttp2 } from "./raw.ts";

interface Case {
  readonly separator: string;
  readonly index_separator: string;
  readonly batch_separator: string;
  readonly request_content_utf8: string;
  readonly expected_response_content_utf8: string;
  readonly expected_items: readonly unknown[];
}

function readCase(name: string): Case {
  return JSON.parse(readFileSync(`test/testdata/cases/${name}.json`, "utf8")) as Case;
}

const passThrough = { name: "records", index: "*", type: "pass_through" };

async function openParser(lanes: boolean, parser: object = {}): Promise<RunningServer> {
  const settings = {
    listen: "127.0.0.1:0",
    log: { level: "silent" },
    parser: { formats: [passThrough], ...parser },
  };
  const cwd = folderWith({ "engage.yaml": JSON.stringify(settings) });
  const server = await startServer(loadConfig({ env: {}, cwd }).config, { lanes });
  onTestFinished(() => server.stop());
  return server;
}

async function openDemo(lanes: boolean): Promise<RunningServer> {
  const env = { ENGAGE_LISTEN: "127.0.0.1:0", ENGAGE_LOG_LEVEL: "silent" };
  const server = await startServer(loadConfig({ env, cwd: folderWith({}) }).config, { lanes });
  onTestFinished(() => server.stop());
  return server;
}

function clientOf({ address }: RunningServer): ParserClient {
  const client = new ParserClient(address.port);
  onTestFinished(() => client[Symbol.dispose]());
  return client;
}

const heartbeat = {
  name: "heart",
  index: "*_heart",
  type: "delimited",
  separator: "\u0001",
  columns: "servertime appkey version modelname normversion stepnumid serverid onlineuser paidui".split(" "),
  mapping: { "#account_id": "serverid", "#event_name": "modelname" },
  rest: "drop",
};
const game = {
  name: "game",
  index: "*",
  type: "json",
  required: ["ACCOUNTID", "CODE"],
  rest: "all",
  mapping: {
    "#account_id": "ACCOUNTID",
    "#distinct_id": "OSTYPE",
    "#type": { value: "track" },
    "#ip": "IP",
    "#uuid": "UID",
    "#time": "LOGTM",
    "#event_name": "event_{CODE}",
  },
};
const users = {
  name: "users",
  index: "*",
  type: "json",
  mapping: { "#account_id": "user_id", "#distinct_id": "distinct_id" },
};
const heart = { "#account_id": "7001", "#event_name": "heart" };

/** Each case with the formats of its deployment and the items that must come back. */
const cases: readonly [
  name: string,
  formats: readonly object[],
  items: (given: Case) => readonly unknown[],
][] = [
  ["p001_doc_two_records", [users], expectedRecords],
  ["p002_doc_local_client_python", [passThrough], expectedRecords],
  ["p003_doc_local_client_java", [passThrough], expectedRecords],
  ["p005_doc_python_demo_and_bad_line", [game], ({ expected_items }) => expected_items],
  ["p006_length_mismatch", [game], () => [{}, {}]],
  ["p008_go_plugin_null_line", [heartbeat], () => [{}]],
  ["p009_go_plugin_unknown_topic_error", [heartbeat], () => [{}, heart]],
  ["p013_separator_in_data", [passThrough], () => [{ ip: "2001:db8::1" }, { ip: "2001:db8::2" }]],
];

function expectedRecords({ expected_response_content_utf8, separator }: Case): unknown[] {
  return expected_response_content_utf8.split(separator).map((item) => JSON.parse(item) as unknown);
}

describe.each([true, false])("with the lanes %j", (lanes) => {
  test.each(cases)("%s", async (name, formats, items) => {
    const given = readCase(name);
    const server = await openParser(lanes, {
      separator: given.separator,
      indexSeparator: given.index_separator,
      recordSeparator: given.batch_separator,
      formats,
    });
    const content = (await clientOf(server).parse(given.request_content_utf8)).toString();
    // JSON of the answer may hold the separator too.
    const answers = content.split(new RegExp(`(?<=\\})${given.separator}(?=\\{)`));
    expect(answers.map((item) => JSON.parse(item) as unknown)).toEqual(items(given));
  });

  test("a real log of dpkg: the same records by Parse and by engage parse", async () => {
    const file = `${packageRoot}/test/testdata/logs/dpkg.log.1`;
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const client = clientOf(await openDemo(lanes));
    const framed = lines.map((line) => `dpkg.log.1|ta|${line}`).join(":ta:");
    const items = (await client.parse(framed)).toString().split(":ta:");
    const byLines = await client.parse(lines.join("\n"), {
      "parser-framing": "lines",
      "parser-index": "dpkg.log.1",
    });
    const command = await runEngage(["parse", "--strict", file]);
    expect(command.code).toBe(0);
    expect(items.length).toBe(lines.length);
    expect(command.stdout.trimEnd().split("\n")).toEqual(items);
    expect(byLines.toString().split("\n")).toEqual(items);
    expect(JSON.parse(items[0]!)).toMatchObject({
      "#type": "track",
      "#event_name": expect.stringMatching(/^dpkg_/),
      "#time": expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/),
    });
  });

  const line = '{"a":1}';
  test.each<[string, Buffer, (items: readonly string[]) => unknown, unknown]>([
    ["nothing at all", Buffer.alloc(0), (items) => items, [""]],
    ["no index", Buffer.from("no index"), (items) => items, ["{}"]],
    ["invalid UTF-8", Buffer.from('a|ta|{"a":"\xff"}:ta:a|ta|{}', "latin1"), (items) => items.length, 2],
    ["NUL bytes", Buffer.from("a|ta|\0\0:ta:a|ta|{}"), (items) => items.length, 2],
    [
      "a line of 10 MB",
      Buffer.from(`a|ta|{"a":"${"x".repeat(10_000_000)}"}`),
      ([item]) => item?.length,
      10_000_008,
    ],
    ["a million empty items", Buffer.from(`a|ta|:ta:`.repeat(1_000_000)), (items) => items.length, 1_000_000],
  ])("%s harms no other caller", async (_name, content, look, expected) => {
    const client = clientOf(await openParser(lanes, { separator: ":ta:" }));
    const items = (await client.parse(content)).toString().split(":ta:");
    expect(look(items)).toEqual(expected);
    expect((await client.parse(`a|ta|${line}`)).toString()).toBe(line);
  });

  test("a message of 101 MiB is refused when it has said so, while it comes", async () => {
    const { address } = await openParser(lanes);
    using request = openHttp2(address.url, {
      ":path": "/proto.Parser/Parse",
      "content-type": "application/grpc",
    });
    request.stream.write(envelope(Buffer.alloc(65_536), 0, 101 * 1024 * 1024));
    expect(grpcStatusOf(await request.answer)).toBe(Code.ResourceExhausted);
  });
});

test("a message of 100 MiB is parsed", async () => {
  const client = clientOf(await openParser(true, { separator: ":ta:" }));
  // The field's tag and the four bytes of its length belong to the message.
  const bytes = 100 * 1024 * 1024 - 5;
  const item = Buffer.from(`a|ta|{"a":"${"x".repeat(1024)}"}:ta:`);
  const whole = Math.floor((bytes - 100) / item.length);
  const last = `a|ta|{"b":"${"y".repeat(bytes - whole * item.length - 13)}"}`;
  const content = Buffer.concat([...new Array<Buffer>(whole).fill(item), Buffer.from(last)]);
  expect(content.length).toBe(bytes);
  const answer = await client.parse(content);
  expect(answer.length).toBe(bytes - (whole + 1) * "a|ta|".length);
  await expect(client.parse("a|ta|{}")).resolves.toEqual(Buffer.from("{}"));
});

const batches = 200;
const linesPerBatch = 1_000;

test("200,000 lines to a slow reader: neither side reads ahead, and all answers come in order", async () => {
  const { address } = await openParser(true);
  const client = createClient(ParserStream, createGrpcTransport({ baseUrl: address.url }));
  const lines = Array.from({ length: linesPerBatch }, (_, i) =>
    Buffer.from(`{"line":"${"x".repeat(40)}","i":${i}}`),
  );
  let sent = 0;
  async function* requests() {
    for (; sent < batches; sent++) yield { index: "a", lines };
  }
  const answers = client.parseLines(requests());
  const first = await answers[Symbol.asyncIterator]().next();
  expect(first.value?.results.length).toBe(linesPerBatch);
  let before = -1;
  const isStill = (): void => {
    const last = before;
    before = sent;
    expect(sent).toBe(last);
  };
  await vi.waitFor(isStill, { interval: 250, timeout: 10_000 });
  expect(sent).toBeLessThan(batches / 4);
  let next = BigInt(linesPerBatch);
  for await (const { results } of answers) {
    expect(results[0]?.lineNumber).toBe(next);
    next += BigInt(results.length);
  }
  expect(next).toBe(BigInt(batches * linesPerBatch));
});

test("@grpc/grpc-js gets a record or a reason for each line", async () => {
  const call = clientOf(await openDemo(true)).parseLines();
  call.write({ index: "x.ta", lines: ['{"#type":"track"}', "no json"].map((line) => Buffer.from(line)) });
  call.write({
    index: "dpkg.log",
    lines: [Buffer.from("2024-01-10 08:15:02 install less:amd64 <none> 590-2")],
  });
  call.end();
  const answers: LineResult[][] = [];
  for await (const { results } of call as AsyncIterable<{ results: LineResult[] }>) answers.push(results);
  expect(answers).toMatchObject([
    [
      { lineNumber: 0, outcome: "records", records: { json: [Buffer.from('{"#type":"track"}')] } },
      { lineNumber: 1, outcome: "error", error: { reason: "invalid_json" } },
    ],
    [{ lineNumber: 2, outcome: "records" }],
  ]);
});
