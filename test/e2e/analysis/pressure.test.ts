import http from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { grownBy, openServerProcess, type ServerProcess } from "../server-process.ts";
import { type AnalysisClient, createAnalysisClient, type Envelope, token } from "./analysis-server.ts";

const groups = 12_000;
const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 0, 3);
const patient = { timeout: 60_000, interval: 50 };
/** The number of running queries, see `beforeAll`. */
const running = 2;
const waiting = 10;

const year = { recentDay: "1-365", timeParticleSize: "day" };
const compared = {
  ...year,
  comparedByTime: true,
  comparedStartTime: "2024-01-01",
  comparedEndTime: "2024-12-30",
};
const byGroup = { groupBy: [{ columnName: "g", tableType: "event" }] };
const total = { type: "normal", eventName: "play", analysis: "TOTAL_TIMES" };
const median = { type: "normal", eventName: "play", analysis: "MEDIAN", quota: "n" };

/** 12,000 groups, two years and a median of each. */
const heavy = {
  projectId: 1,
  useCache: false,
  limit: 10_000,
  eventView: { ...compared, ...byGroup },
  events: [median, total],
};
const light = {
  projectId: 1,
  eventView: { ...year, timeParticleSize: "total" },
  events: [total],
  useCache: false,
};

const timeOf = (ms: number) => new Date(ms).toISOString().replace("T", " ").slice(0, 19);

/** One event of each group, on one of 700 days. */
const eventOf = (at: number) => ({
  "#type": "track",
  "#event_name": "play",
  "#account_id": `user-${at % 1_000}`,
  "#time": timeOf(nowMs - dayMs - (at % 700) * dayMs),
  properties: { g: `group-${at}`, n: at },
});

let child: ServerProcess;
let server: AnalysisClient;

beforeAll(async () => {
  const engine = { maxQueries: running, maxWaiting: waiting };
  const script = join(import.meta.dirname, "analysis-process.ts");
  child = await openServerProcess(script, { nowMs, events: { engine } });
  server = createAnalysisClient(child.url);
  for (let from = 0; from < groups; from += 2_000) {
    await server.report(
      1,
      Array.from({ length: 2_000 }, (_, at) => eventOf(from + at)),
    );
  }
  await server.counted(1, groups);
}, 120_000);

afterAll(() => child[Symbol.asyncDispose]());

const analyze = `/open/event-analyze?token=${token}`;
const download = `/open/streaming-download/event-analyze?token=${token}`;
/** The events within the last 365 days. */
const inYear = Array.from({ length: groups }, (_, at) => at % 700).filter((day) => day < 363).length;

async function healthy(): Promise<void> {
  // Yesterday is 2026-01-02, and the newest event is of that day.
  const { return_code, data } = await server.ask("/open/event-analyze", light);
  expect(return_code).toBe(0);
  expect(Number(data.y[0]["play.TOTAL_TIMES"][0].values[0])).toBeGreaterThanOrEqual(inYear);
}

async function gauge(): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const values = [...text.matchAll(/^engage_analysis_queries_running\{[^}]*\} (\d+)$/gm)];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

const idle = () => vi.waitFor(async () => expect(await gauge()).toBe(0), patient);

describe("sizes", { timeout: 180_000 }, () => {
  it("downloads 12,000 groups of 365 days and as many compared, within memory", async () => {
    let bytes = 0;
    let lines = 0;
    const grown = await grownBy(child.pid, async () => {
      const response = await server.post(download, { ...heavy, events: [total] });
      expect(response.headers.get("content-type")).toContain("text/csv");
      for await (const chunk of response.body!) {
        bytes += chunk.length;
        for (const byte of chunk) lines += Number(byte === 10);
      }
    });
    console.log(
      `download of ${(bytes / 1e6).toFixed(1)} MB in ${lines} lines: ${grown} MiB beyond the start`,
    );
    expect(lines).toBeGreaterThan(10_000);
    expect(grown).toBeLessThan(400);
  });

  it("answers with 10,000 groups of 365 days and as many compared", async () => {
    const grown = await grownBy(child.pid, async () => {
      const response = await server.post(analyze, { ...heavy, events: [total] });
      let bytes = 0;
      for await (const chunk of response.body!) bytes += chunk.length;
      console.log(`answer of ${(bytes / 1e6).toFixed(1)} MB`);
      expect(bytes).toBeGreaterThan(10_000_000);
    });
    console.log(`${grown} MiB beyond the start`);
    expect(grown).toBeLessThan(500);
  });

  it("refuses more numbers than an answer may hold, and says how many", async () => {
    const { return_code, return_message } = await server.ask("/open/event-analyze", {
      ...heavy,
      events: Array(4).fill(total),
    });
    expect(return_code).toBe(-1001);
    expect(return_message).toMatch(/\d/);
  });
});

describe("numbers of queries", { timeout: 180_000 }, () => {
  it("refuses those beyond the queue, and answers the others rightly", async () => {
    const asked = Array.from({ length: 50 }, () =>
      server.ask("/open/event-analyze", {
        ...heavy,
        limit: 1,
        eventView: { ...heavy.eventView, timeParticleSize: "total" },
      }),
    );
    const answers: Envelope[] = await Promise.all(asked);
    const busy = answers.filter(({ return_code }) => return_code === -1005);
    const good = answers.filter(({ return_code }) => return_code === 0);
    expect(good.length + busy.length).toBe(50);
    expect(busy.length).toBeGreaterThan(0);
    expect(good.length).toBeGreaterThanOrEqual(running + waiting);
    expect(new Set(busy.map(({ return_message }) => return_message))).toEqual(
      new Set([`${running} queries run and ${waiting} wait, at most ${running} and ${waiting} may`]),
    );
    expect(new Set(good.map(({ data }) => JSON.stringify(data.y))).size).toBe(1);
    await healthy();
  });

  it("cancels those whose callers have left", async () => {
    const left = new AbortController();
    const asked = Array.from({ length: 10 }, () =>
      server.post(analyze, heavy, {}, left.signal).catch(() => "left"),
    );
    await vi.waitFor(async () => expect(await gauge()).toBe(10), patient);
    left.abort();
    expect(new Set(await Promise.all(asked))).toEqual(new Set(["left"]));
    await idle();
    await healthy();
  });

  it("ends a query at its time, and frees its turn", async () => {
    const many = Array(40).fill(median);
    const long = { ...heavy, timeoutSeconds: 1, limit: 1, events: many };
    const answers = await Promise.all([1, 2, 3].map(() => server.ask("/open/event-analyze", long)));
    expect(new Set(answers.map(({ return_code }) => return_code))).toEqual(new Set([-1004]));
    expect(answers[0]!.return_message).toContain("did not end within 1 s and was cancelled");
    await idle();
    await healthy();
  });

  it("lets others query while one caller reads a download slowly, and forgets callers that leave it", async () => {
    const request = http.request(new URL(download, server.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    request.on("error", () => undefined);
    request.end(JSON.stringify({ ...heavy, events: [total] }));
    const response = await new Promise<http.IncomingMessage>((resolve) => request.once("response", resolve));
    response.on("error", () => undefined);
    response.pause();
    for (let n = 0; n < 5; n++) await healthy();
    expect(await gauge()).toBe(1);
    request.destroy();
    await idle();
    await healthy();
  });
});
