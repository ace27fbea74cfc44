import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../cmd/config/config.ts";
import { openFormats } from "../../services/parser/formats/formats.ts";
import { type BatchParserOptions, createBatchParser } from "../../services/parser/line/batch.ts";
import { separatorsOf } from "../../services/parser/line/separators.ts";
import { median } from "../harness/compare.ts";
import { decodeContent, encodeContent, openParseClient } from "../harness/grpc-client.ts";
import { itemsOf } from "../harness/log-lines.ts";
import { makeFolder, runTool, startServer } from "../harness/processes.ts";
import { json, others, type Sample } from "./samples.ts";

/**
 * Measures Parse of 1,000 lines in one gRPC call over a socket, against a bare loop of JSON.parse and JSON.stringify
 * over the same lines. Contestants take turns. The ratios are those of the CPU time of the process that parses, in the
 * same round; the clock is printed beside them. A turn is long for the ticks in which CPU time is counted, and shorter
 * than the pause after which an idle server frees its memory.
 */
const callsPerTurn = 200;
const rounds = { json: 9, eachOther: 3 };
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

const port = 7321;
await using server = await startServer("cmd/engage.ts serve", port, {
  ENGAGE_CONFIG: configFile,
  ENGAGE_LISTEN: `127.0.0.1:${port}`,
  ENGAGE_DATA: join(folder, "data"),
});

interface Turn {
  readonly name: string;
  /** The least ratio to the bare loop. */
  readonly bar?: number;
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
      bar: 0.85,
      run: () => overSocket(frameFile, 1),
      cpuSeconds: server.cpuSeconds,
    },
    {
      name: "Parse over a socket, 4 calls at a time",
      run: () => overSocket(frameFile, 4),
      cpuSeconds: server.cpuSeconds,
    },
  ];
}

/** Calls with the load generator in C, which takes little CPU time from the server. */
async function overSocket(frameFile: string, atATime: number): Promise<number> {
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

/** Returns the speeds of each turn, round by round. The first round warms up. */
async function measure(turns: readonly Turn[], count: number): Promise<Speed[][]> {
  const speeds = turns.map((): Speed[] => []);
  const linesPerTurn = callsPerTurn * json.lines.length;
  for (let round = 0; round <= count; round++) {
    for (const [at, turn] of turns.entries()) {
      const before = turn.cpuSeconds();
      const perSecond = linesPerTurn / (await turn.run());
      const perCpuSecond = linesPerTurn / (turn.cpuSeconds() - before);
      if (round > 0) speeds[at]!.push({ perSecond, perCpuSecond });
    }
  }
  return speeds;
}

function medianOf(speeds: readonly Speed[], kind: keyof Speed): number {
  return Math.round(median(speeds.map((speed) => speed[kind])));
}

function medianRatio(speeds: readonly Speed[], reference: readonly Speed[], kind: keyof Speed): number {
  return median(speeds.map((speed, round) => speed[kind] / reference[round]![kind]));
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
const speeds = await measure(turns, rounds.json);
const [reference] = speeds as [Speed[]];
const averageBytes = Buffer.byteLength(json.lines.join("")) / json.lines.length;
console.log(
  `calls of ${json.lines.length} lines of ${Math.round(averageBytes)} bytes, format ${json.format}`,
);
console.table(
  turns.map(({ name, bar }, at) => {
    const own = speeds[at]!;
    const cpuRatio = medianRatio(own, reference, "perCpuSecond");
    return {
      contestant: name,
      "lines/s": medianOf(own, "perSecond"),
      "lines/CPU s": medianOf(own, "perCpuSecond"),
      "ratio of lines/s": medianRatio(own, reference, "perSecond").toFixed(2),
      "ratio of lines/CPU s": cpuRatio.toFixed(2),
      bar: bar === undefined ? "" : `≥ ${bar}: ${cpuRatio >= bar ? "kept" : "MISSED"}`,
    };
  }),
);
console.log(`medians of ${rounds.json} rounds, load average ${loadavg()[0]!.toFixed(1)}`);

const rows: Record<string, string | number>[] = [];
for (const sample of others) {
  const [, ...ours] = turnsOf(sample);
  const [inProcess, socket] = (await measure(ours.slice(0, 2), rounds.eachOther)) as [Speed[], Speed[]];
  rows.push({
    format: sample.format,
    "bytes a line": Math.round(Buffer.byteLength(sample.lines.join("")) / sample.lines.length),
    "lines/CPU s over a socket": medianOf(socket, "perCpuSecond"),
    "lines/CPU s in this process": medianOf(inProcess, "perCpuSecond"),
  });
}
console.log("\nother formats, 1,000 lines a call");
console.table(rows);
if (kept < 0) console.log(kept);
