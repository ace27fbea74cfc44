import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../cmd/config/config.ts";
import { openFormats } from "../../services/parser/formats/formats.ts";
import { type BatchParserOptions, createBatchParser } from "../../services/parser/line/batch.ts";
import { separatorsOf } from "../../services/parser/line/separators.ts";
import { median } from "../harness/compare.ts";
import { decodeContent, encodeContent, openParseClient } from "../harness/grpc-client.ts";
import { itemsOf } from "../harness/log-lines.ts";
import { makeFolder, runTool, type Server, startServer } from "../harness/processes.ts";
import { json, others, type Sample } from "./samples.ts";

/**
 * Measures Parse of 1,000 lines in one gRPC call over a socket, against a bare loop of JSON.parse and JSON.stringify
 * over the same lines. Contestants alternate every few calls.
 */
const callsPerTurn = 20;
const secondsFor = { json: 25, eachOther: 3 };
const configFile = "bench/parse-lines/engage.yaml";
const folder = makeFolder();

const { config } = loadConfig({ env: {}, cwd: process.cwd(), file: configFile });
const { formatFor } = await openFormats(config.parser);
const parseBatch = createBatchParser({
  formatFor,
  separators: separatorsOf(config.parser),
  maxLineBytes: config.parser.maxLineBytes,
  now: Date.now,
} satisfies BatchParserOptions);

const serve = (port: number, environment: Record<string, string>) =>
  startServer("cmd/engage.ts serve", port, {
    ENGAGE_CONFIG: configFile,
    ENGAGE_LISTEN: `127.0.0.1:${port}`,
    ENGAGE_DATA: join(folder, String(port)),
    ...environment,
  });
await using server = await serve(7321, {});
await using inline = await serve(7322, { ENGAGE_PARSER_WORKERS: "0" });

interface Turn {
  readonly name: string;
  readonly bar?: string;
  /** Makes `callsPerTurn` calls and returns their duration in seconds. */
  run(): Promise<number> | number;
  cpuSeconds(): number;
}

const ownCpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

function turnsOf({ index, lines }: Sample): readonly [Turn, ...Turn[]] {
  const content = itemsOf(lines, index);
  const bytes = Buffer.from(content);
  const frameFile = join(folder, `${index}.bin`);
  writeFileSync(frameFile, encodeContent(content));
  return [
    {
      name: "bare loop of JSON.parse and JSON.stringify",
      run: () => timed(() => loop(lines)),
      cpuSeconds: ownCpuSeconds,
    },
    {
      name: "the parser in this process",
      run: () =>
        timed(() => void parseBatch({ content: bytes, framing: "items", index: "", source: "bench" })),
      cpuSeconds: ownCpuSeconds,
    },
    {
      name: "Parse over a socket",
      bar: "≥ 0.6",
      run: () => overSocket(server, frameFile, 1),
      cpuSeconds: server.cpuSeconds,
    },
    {
      name: "Parse over a socket, 4 calls at a time",
      run: () => overSocket(server, frameFile, 4),
      cpuSeconds: server.cpuSeconds,
    },
    {
      name: "Parse over a socket, without workers",
      run: () => overSocket(inline, frameFile, 1),
      cpuSeconds: inline.cpuSeconds,
    },
  ];
}

/** Calls with the load generator in C, which takes little CPU time from the server. */
async function overSocket({ port }: Server, frameFile: string, atATime: number): Promise<number> {
  const output = await runTool("h2load", [
    "-n",
    String(callsPerTurn),
    "-c",
    "1",
    "-m",
    String(atATime),
    "-d",
    frameFile,
    "-H",
    "content-type: application/grpc+proto",
    "-H",
    "te: trailers",
    `http://127.0.0.1:${port}/proto.Parser/Parse`,
  ]);
  if (!output.includes(`${callsPerTurn} succeeded, 0 failed`)) throw new Error(output);
  return callsPerTurn / Number(/([\d.]+) req\/s/.exec(output)?.[1]);
}

function timed(work: () => void): number {
  const before = performance.now();
  for (let i = 0; i < callsPerTurn; i++) work();
  return (performance.now() - before) / 1_000;
}

let kept = 0;

function loop(lines: readonly string[]): void {
  for (const line of lines) kept += JSON.stringify(JSON.parse(line)).length;
}

interface Speed {
  readonly perSecond: number;
  /** Lines per CPU second of the process that parses. */
  readonly perCpuSecond: number;
}

async function measure(turns: readonly Turn[], seconds: number): Promise<Speed[]> {
  const speeds = turns.map((): number[] => []);
  const cpu = turns.map(() => 0);
  const warmUntil = performance.now() + seconds * 200;
  while (performance.now() < warmUntil) for (const turn of turns) await turn.run();
  const end = performance.now() + seconds * 800;
  const linesPerTurn = callsPerTurn * json.lines.length;
  let rounds = 0;
  for (; performance.now() < end; rounds++) {
    for (const [at, turn] of turns.entries()) {
      const before = turn.cpuSeconds();
      speeds[at]?.push(linesPerTurn / (await turn.run()));
      cpu[at]! += turn.cpuSeconds() - before;
    }
  }
  return speeds.map((each, at) => ({
    perSecond: median(each),
    perCpuSecond: (rounds * linesPerTurn) / cpu[at]!,
  }));
}

async function checkResponses({ index, lines, format }: Sample): Promise<void> {
  using client = await openParseClient(server.port);
  const items = decodeContent(await client.call(encodeContent(itemsOf(lines, index)))).split(":ta:");
  const bad = items.filter((item) => item === "{}").length;
  if (items.length !== lines.length || bad > 0)
    throw new Error(`${format}: ${items.length} items, ${bad} bad`);
}

for (const sample of [json, ...others]) await checkResponses(sample);

const turns = turnsOf(json);
const speeds = await measure(turns, secondsFor.json);
const [reference] = speeds as [Speed];
const averageBytes = Buffer.byteLength(json.lines.join("")) / json.lines.length;
console.log(
  `calls of ${json.lines.length} lines of ${Math.round(averageBytes)} bytes, format ${json.format}`,
);
console.table(
  speeds.map(({ perSecond, perCpuSecond }, at) => ({
    contestant: turns[at]?.name,
    "lines/s": Math.round(perSecond),
    "lines/CPU s": Math.round(perCpuSecond),
    "ratio of lines/s": (perSecond / reference.perSecond).toFixed(2),
    "ratio of lines/CPU s": (perCpuSecond / reference.perCpuSecond).toFixed(2),
    bar: turns[at]?.bar ?? "",
  })),
);

const rows: Record<string, string | number>[] = [];
for (const sample of others) {
  const [, ...ours] = turnsOf(sample);
  const [inProcess, socket] = (await measure(ours.slice(0, 2), secondsFor.eachOther)) as [Speed, Speed];
  rows.push({
    format: sample.format,
    "bytes a line": Math.round(Buffer.byteLength(sample.lines.join("")) / sample.lines.length),
    "lines/s over a socket": Math.round(socket.perSecond),
    "lines/s in this process": Math.round(inProcess.perSecond),
    "lines/CPU s in this process": Math.round(inProcess.perCpuSecond),
  });
}
console.log("\nother formats, 1,000 lines a call");
console.table(rows);
if (kept < 0) console.log(kept);
