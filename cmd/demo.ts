import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { type LineResult, ParserStream } from "../gen/engage/parser/v1/parser_stream_pb.ts";
import { Parser } from "../gen/proto/parser_pb.ts";
import { type Config, type ConfigOptions, loadConfig } from "./config.ts";
import { startServer } from "./server.ts";

/** One line of input and the file or topic it would come from. */
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

interface Demo {
  readonly url: string;
  readonly config: Config;
  readonly transport: Transport;
  /** Prints one line. */
  say(text?: string): void;
}

/** Starts a server of its own, calls it as real callers do, prints what came back, and stops. */
export async function runDemo(options: ConfigOptions, stdout: Writable): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "engage-demo-"));
  const overrides = { ENGAGE_LISTEN: "127.0.0.1:0", ENGAGE_DATA: folder, ENGAGE_LOG_LEVEL: "warn" };
  const { config, locate } = loadConfig({ ...options, env: { ...options.env, ...overrides } });
  const server = await startServer(config, { logFd: 2, locate });
  const { url } = server.address;
  const sessionManager = new Http2SessionManager(url);
  const say = (text = ""): void => void stdout.write(`${text}\n`);
  try {
    say(`A server of its own on ${url}, its data in ${folder}.`);
    const demo = { url, config, say, transport: createGrpcTransport({ baseUrl: url, sessionManager }) };
    await showGrpc(demo);
    await showConnect(demo);
    await showStream(demo);
    await showOperation(demo);
    // Stopping writes what waits.
    await server.stop();
    await showDeadLetters(config, say);
  } finally {
    sessionManager.abort();
    await server.stop();
    await rm(folder, { recursive: true });
  }
  say("\nStopped. 'npm start' serves the same on http://127.0.0.1:8080 until you stop it.");
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
  const answer = JSON.parse(text) as { content: string };
  say(`   ${rewardLine[0]}: ${rewardLine[1]}`);
  showRecords(say, [Buffer.from(answer.content, "base64").toString()]);
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

async function showOperation({ url, say }: Demo): Promise<void> {
  say("\n4. What the server tells those who run it\n");
  for (const path of ["/healthz", "/readyz"]) {
    const response = await fetch(url + path);
    say(`   GET ${path}  ${response.status} ${await response.text()}`);
  }
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const parser = metrics.split("\n").filter((line) => /^engage_parser_\w+_total\b.* [1-9]/.test(line));
  say("   GET /metrics  of which the parser's:");
  for (const line of parser) say(`     ${line}`);
  say("   The reference of all calls is at /docs, its OpenAPI at /openapi.json.");
}

async function showDeadLetters({ data, parser }: Config, say: Demo["say"]): Promise<void> {
  const { file } = parser.deadLetters;
  say(`\n5. ${file} in the data folder keeps each line that Parse could not read\n`);
  const letters = await readFile(join(data, file), "utf8");
  for (const letter of letters.trimEnd().split("\n")) say(`   ${letter}`);
}

function encodeItems(samples: readonly Sample[], { parser }: Config): Uint8Array<ArrayBuffer> {
  const items = samples.map(([index, line]) => `${index}${parser.indexSeparator}${line}`);
  return Buffer.from(items.join(parser.separator));
}

function showRecords(say: Demo["say"], records: readonly string[]): void {
  for (const record of records) say(`     → ${visible(record)}`);
}

/** Control bytes as the symbols that stand for them. */
function visible(text: string): string {
  return text.replaceAll("\u0001", "␁");
}
