import { Agent, request } from "node:http";
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
const maxRatio = 2.5;
/** Below this the clock, the collector of garbage and the compiler decide. */
const floorMs = 30;
/** The least of these counts; a cost that seems to grow too fast is measured again. */
const rounds = [1, 3, 6] as const;

let folder: Awaited<ReturnType<typeof openTempFolder>>;
let engage: Engage;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  folder = await openTempFolder();
  engage = await openEngage(folder.path, config);
});

afterAll(async () => {
  agent.destroy();
  await engage[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** Resolves when the answer has ended, whatever it is: refusals are cheap too. */
function send(growing: GrowingRequest, body: Buffer): Promise<void> {
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

/** How often the time doubles too fast; empty when it grows as the size does. */
function faultsOf(costs: readonly Cpu[]): string[] {
  return (["eventLoop", "all"] as const).flatMap((thread) => {
    const ms = costs.map((cost) => cost[thread]);
    const [, before = 0, last = 0] = ms;
    const isFast = last > floorMs && last > maxRatio * before;
    return isFast ? [`${thread}: ${ms.map((one) => one.toFixed(1)).join(", ")} ms`] : [];
  });
}

async function faultsOfGrowth(growing: GrowingRequest): Promise<string[]> {
  const bodies = sizes.map((size) => growing.body(size));
  let costs: readonly (Cpu | undefined)[] = sizes.map(() => undefined);
  let faults: string[] = [];
  for (const count of rounds) {
    const measured: Cpu[] = [];
    for (const [at, body] of bodies.entries())
      measured.push(await leastCost(growing, body, costs[at], count));
    costs = measured;
    faults = faultsOf(measured);
    if (faults.length === 0) return [];
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
