import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { compare } from "../harness/compare.ts";
import { makeFolder, runTool, type Server, startServer } from "../harness/processes.ts";

/**
 * Measures unary JSON over HTTP/1.1 with bodies of 200 bytes, against fastify. Both check requests against a schema.
 * Parse is an echo that decodes and encodes base64; the REST route fills its message from path and body. Engage also
 * runs its interceptors, metrics, deadlines and request ids; fastify has none of these here.
 */
const rounds = 9;
const secondsPerRound = 1;
const connections = 32;
/** Rounds before those of `compare`, in which V8 compiles what calls need. */
const warmUpRounds = 3;
const startMs = 3_000;

const folder = makeFolder();

const line = `{"#type":"track","#account_id":"a1","#event_name":"login","properties":{"text":"a line of a log"}}`;
const parseBody = JSON.stringify({ content: Buffer.from(line.padEnd(138)).toString("base64") });
const book = {
  id: "1234567890",
  displayName: "The art of reading a long line of a log, and of its fields",
  genre: "GENRE_SCIENCE",
  keywords: { logs: 0.75, lines: 2.5, fields: 1 },
  shop: "the shop at the corner",
};
const bookBody = JSON.stringify(book);

await using engage = await startServer("cmd/engage.ts serve", 7311, {
  ENGAGE_CONFIG: "bench/parse-echo/engage.yaml",
  ENGAGE_LISTEN: "127.0.0.1:7311",
  ENGAGE_DATA: join(folder, "data"),
});
await using rest = await startServer("bench/unary-json/rest.ts", 7312);
await using fastify = await startServer("bench/unary-json/fastify.mjs", 7313);

// In its first idle second engage frees what its start left, compiled code too.
await sleep(startMs);

console.log(`Connect, POST /proto.Parser/Parse, ${parseBody.length} bytes`);
await compareWarm(engage, postWith("/proto.Parser/Parse", parseBody));
console.log(`REST, POST /v1/{parent=shelves/*}/books, ${bookBody.length} bytes`);
await compareWarm(rest, postWith("/v1/shelves/7/books", bookBody));

async function compareWarm(server: Server, load: ReturnType<typeof postWith>): Promise<void> {
  for (let round = 0; round < warmUpRounds; round++) for (const one of [server, fastify]) await load(one);
  const contestants = [
    { name: "engage", server },
    { name: "fastify", server: fastify, bar: 1 },
  ];
  await compare(contestants, rounds, load);
}

function postWith(path: string, body: string) {
  const script = join(folder, `${path.replaceAll("/", "-")}.lua`);
  writeFileSync(
    script,
    `wrk.method = "POST"\nwrk.body = [==[${body}]==]\nwrk.headers["content-type"] = "application/json"\n`,
  );
  return async ({ port }: Server): Promise<{ calls: number; perSecond: number }> => {
    const output = await runTool("wrk", [
      "-t",
      "1",
      "-c",
      String(connections),
      "-d",
      `${secondsPerRound}s`,
      "-s",
      script,
      `http://127.0.0.1:${port}${path}`,
    ]);
    if (/Non-2xx|Socket errors/.test(output)) throw new Error(output);
    return {
      calls: Number(/(\d+) requests in/.exec(output)?.[1]),
      perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    };
  };
}
