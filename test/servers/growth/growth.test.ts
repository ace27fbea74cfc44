import { Agent, request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { type Engage, openEngage } from "../webhook/engage.ts";
import { type Cpu, costOf } from "./cpu.ts";
import { config, type GrowingRequest, growingRequests, signatureOf } from "./requests.ts";

/**
 * Looks for bodies whose cost grows faster than their size: each is sent at one,
 * two and four times a size, and the processor time of the server is compared,
 * that of its event loop and that of its other threads.
 */
const sizes = [131_072, 262_144, 524_288] as const;
/** The most by which twice the size may multiply the cost. */
const maxRatio = 2.5;
/** A body that seems to cost too much is measured at this size as well. */
const confirmingSize = 2_097_152;
/** Below this the clock, the collector of garbage and the compiler decide. */
const floorMs = 30;
/** The least of these counts; a cost that seems to grow too fast is measured again. */
const rounds = [1, 3, 6] as const;

let folder: Awaited<ReturnType<typeof openTempFolder>>;
let engage: Engage;
let session: ClientHttp2Session;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  folder = await openTempFolder();
  engage = await openEngage(folder.path, config);
  session = connect(`http://127.0.0.1:${engage.port}`);
  session.on("error", () => undefined);
});

afterAll(async () => {
  agent.destroy();
  session.destroy();
  await engage[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function sendOverHttp2({ path, headers }: GrowingRequest, body: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const stream = session.request({ ":method": "POST", ":path": path, ...headers });
    stream.on("error", () => undefined);
    stream.resume();
    stream.once("close", resolve);
    stream.end(body);
  });
}

/** Resolves when the answer has ended, whatever it is: refusals are cheap too. */
function send(growing: GrowingRequest, body: Buffer): Promise<void> {
  if (growing.isHttp2 === true) return sendOverHttp2(growing, body);
  const headers = {
    ...growing.headers,
    ...signatureOf(growing, body),
    "content-length": String(body.length),
  };
  return new Promise((resolve, reject) => {
    const call = request(
      { host: "127.0.0.1", port: engage.port, method: "POST", path: growing.path, headers, agent },
      (response) => {
        response.resume();
        response.once("close", resolve);
      },
    );
    // A server that refuses a body may close the connection before all of it is sent.
    call.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNRESET" || error.code === "EPIPE" ? resolve() : reject(error),
    );
    call.end(body);
  });
}

const least = (a: Cpu, b: Cpu): Cpu => ({
  eventLoop: Math.min(a.eventLoop, b.eventLoop),
  all: Math.min(a.all, b.all),
});

async function leastCost(
  growing: GrowingRequest,
  body: Buffer,
  known: Cpu | undefined,
  count: number,
): Promise<Cpu> {
  let best = known ?? { eventLoop: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY };
  for (let round = 0; round < count; round++) {
    best = least(best, await costOf(engage.pid, () => send(growing, body)));
  }
  return best;
}

const threads = ["eventLoop", "all"] as const;

function describeCosts(thread: keyof Cpu, costs: readonly Cpu[]): string {
  return `${thread}: ${costs.map((cost) => cost[thread].toFixed(1)).join(", ")} ms`;
}

/** Reports whether the last doubling of the size multiplies the cost by too much. */
function growsTooFast(thread: keyof Cpu, costs: readonly Cpu[]): boolean {
  const [before = 0, last = 0] = costs.slice(-2).map((cost) => cost[thread]);
  return last > floorMs && last > maxRatio * before;
}

/**
 * Reports whether a cost that has grown too fast once does so again: over the next
 * two doublings, or with the doubling before, if both of its costs are above the floor.
 * A single step is another thing, such as the first body that another thread parses,
 * or that makes the garbage collector run.
 */
async function isConfirmed(
  thread: keyof Cpu,
  growing: GrowingRequest,
  costs: readonly Cpu[],
): Promise<boolean> {
  const [first = 0, second = 0] = costs.map((cost) => cost[thread]);
  if (first > floorMs && second > maxRatio * first) return true;
  const last = costs.at(-1)![thread];
  const confirming = await leastCost(growing, growing.body(confirmingSize), undefined, 6);
  return confirming[thread] > maxRatio ** 2 * last;
}

async function faultsOfGrowth(growing: GrowingRequest): Promise<string[]> {
  const bodies = sizes.map((size) => growing.body(size));
  let costs: readonly Cpu[] = [];
  for (const count of rounds) {
    const measured: Cpu[] = [];
    for (const [at, body] of bodies.entries())
      measured.push(await leastCost(growing, body, costs[at], count));
    costs = measured;
    if (!threads.some((thread) => growsTooFast(thread, measured))) return [];
  }
  const faults: string[] = [];
  for (const thread of threads.filter((one) => growsTooFast(one, costs))) {
    if (await isConfirmed(thread, growing, costs)) faults.push(describeCosts(thread, costs));
  }
  return faults;
}

const groups = Map.groupBy(growingRequests, ({ name }) => name.split(":", 1)[0] ?? "");

describe("the cost of a body grows no faster than its size", () => {
  it.each([...groups])("%s", { timeout: 600_000 }, async (_name, requests) => {
    const found: string[] = [];
    for (const growing of requests) {
      for (const fault of await faultsOfGrowth(growing)) found.push(`${growing.name}, ${fault}`);
    }
    expect(found).toEqual([]);
  });
});
