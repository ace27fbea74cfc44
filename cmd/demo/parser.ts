import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { type LineResult, ParserStream } from "../../gen/engage/parser/v1/parser_stream_pb.ts";
import { Parser } from "../../gen/proto/parser_pb.ts";
import type { Config } from "../config/config.ts";
import type { Demo } from "./stage.ts";

/** One line of input and the index, which is the file or topic that it would come from. */
type Sample = readonly [index: string, line: string];

const gameLines: readonly Sample[] = [
  [
    "game1.log",
    '{"ACCOUNTID":"a1","OSTYPE":"d1","IP":"203.0.113.9","UID":"7c9c1f0e-1f57-4a66-9c7e-0a5a3c1d2e3f","LOGTM":"2023-09-04 16:46:06","CODE":1001}',
  ],
  ["game1.log", "not json"],
  [
    "M0001_heart",
    "2023-02-08 12:16:08\u0001appkey1\u00011.00.63\u0001heart\u0001v3\u0001B8320\u00017001\u0001120\u00010",
  ],
];

const rewardLine: Sample = [
  "reward1.log",
  "2022-08-05 06:31:38|player-7|77|10006|7|82613,1648|10059|7|67306",
];

const accessLines = [
  '203.0.113.9 - - [10/Jan/2024:08:15:02 +0200] "GET /shop?item=7 HTTP/1.1" 200 2326 "-" "curl/8.5.0"',
  "this is no access log",
];

/** Shows how raw lines become records: over gRPC, over HTTP and JSON, and as a stream. */
export async function showParser(demo: Demo): Promise<void> {
  await showGrpc(demo);
  await showConnect(demo);
  await showStream(demo);
}

async function showGrpc({ config, transport, say }: Demo): Promise<void> {
  say(
    "\n1. proto.Parser/Parse over gRPC, as a log shipper calls it: a batch of raw lines, one of them broken\n",
  );
  const { content } = await createClient(Parser, transport).parse({
    content: encodeItems(gameLines, config),
  });
  const items = Buffer.from(content).toString().split(config.parser.separator);
  for (const [i, [index, line]] of gameLines.entries()) {
    say(`   ${index}: ${visible(line)}`);
    showRecords(say, [items[i] ?? "no answer"]);
  }
}

async function showConnect({ url, config, say }: Demo): Promise<void> {
  say("\n2. The same over HTTP/1.1 and JSON, with nothing but fetch (bytes are base64 in JSON)\n");
  const content = Buffer.from(encodeItems([rewardLine], config)).toString("base64");
  const body = JSON.stringify({ content });
  say(`   POST /proto.Parser/Parse ${body}`);
  const response = await fetch(`${url}/proto.Parser/Parse`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const text = await response.text();
  say(`   ${response.status} ${text}`);
  const { content: records } = JSON.parse(text) as { content: string };
  say(`   ${rewardLine[0]}: ${rewardLine[1]}`);
  showRecords(say, [Buffer.from(records, "base64").toString()]);
}

async function showStream({ transport, say }: Demo): Promise<void> {
  say(
    "\n3. engage.parser.v1.ParserStream/ParseLines over gRPC: a stream of lines, typed records and errors back\n",
  );
  async function* requests() {
    yield { index: "access.log", lines: accessLines.map((line) => Buffer.from(line)) };
  }
  for await (const { results } of createClient(ParserStream, transport).parseLines(requests())) {
    for (const [i, { outcome }] of results.entries()) {
      say(`   access.log: ${accessLines[i]}`);
      showRecords(say, describe(outcome));
    }
  }
}

function describe(outcome: LineResult["outcome"]): string[] {
  if (outcome.case === "records") return outcome.value.json.map((json) => Buffer.from(json).toString());
  return outcome.case === "error" ? [`${outcome.value.reason}: ${outcome.value.message}`] : [];
}

/** Shows the file of lines that could not be parsed. It is complete when the server has stopped. */
export async function showDeadLetters({ data, parser }: Config, say: Demo["say"]): Promise<void> {
  const { file } = parser.deadLetters;
  say(`\n8. ${file} in the data folder keeps each line that Parse could not read\n`);
  const deadLetters = await readFile(join(data, file), "utf8");
  for (const line of deadLetters.trimEnd().split("\n")) say(`   ${line}`);
}

function encodeItems(samples: readonly Sample[], { parser }: Config): Uint8Array<ArrayBuffer> {
  const items = samples.map(([index, line]) => `${index}${parser.indexSeparator}${line}`);
  return Buffer.from(items.join(parser.separator));
}

function showRecords(say: Demo["say"], records: readonly string[]): void {
  for (const record of records) say(`     → ${visible(record)}`);
}

/** Replaces control characters by the symbols that represent them. */
function visible(text: string): string {
  return text.replaceAll("\u0001", "␁");
}
