import http from "node:http";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type AnalysisServer, type Envelope, openAnalysisServer } from "./analysis-server.ts";

/** Queries of one token delay neither the other tokens of its project nor other projects. */
const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 0, 3);
const patient = { timeout: 60_000, interval: 50 };

const groups = 4_000;
const timeOf = (ms: number) => new Date(ms).toISOString().replace("T", " ").slice(0, 19);
const eventOf = (at: number) => ({
  "#type": "track",
  "#event_name": "play",
  "#account_id": `user-${at}`,
  "#time": timeOf(nowMs - dayMs - (at % 300) * dayMs),
  properties: { g: `group-${at}`, n: at },
});

/** Users with so much text that their download fills the buffers of a connection. */
const readers = 1_500;
const texts = ["t1", "t2", "t3", "t4", "t5", "t6"];
const userOf = (at: number) => ({
  "#type": "user_set",
  "#account_id": `user-${at}`,
  "#time": timeOf(nowMs - dayMs),
  properties: Object.fromEntries(texts.map((name) => [name, `${name} of ${at}`.padEnd(2_000, ".")])),
});

const view = { recentDay: "1-365", timeParticleSize: "total" };
const total = { type: "normal", eventName: "play", analysis: "TOTAL_TIMES" };
/** Takes minutes: the median of each group and day, 99 times. */
const endless = {
  projectId: 1,
  useCache: false,
  limit: 1,
  eventView: {
    ...view,
    timeParticleSize: "day",
    comparedByTime: true,
    comparedStartTime: "2024-01-01",
    comparedEndTime: "2024-12-30",
    groupBy: [{ columnName: "g", tableType: "event" }],
  },
  events: Array.from({ length: 99 }, (_, at) => ({
    type: "normal",
    eventName: "play",
    analysis: "PERCENTILE",
    analysisParams: String(at + 1),
    quota: "n",
  })),
};
const lightOf = (projectId: number) => ({ projectId, useCache: false, eventView: view, events: [total] });

let server: AnalysisServer;
let stop: () => Promise<void>;

beforeAll(async () => {
  server = await openAnalysisServer({ 1: {}, 2: {} }, nowMs, {
    events: { engine: { maxQueries: 2, maxWaiting: 10 } },
    tokens: [
      { name: "greedy", token: "token-greedy", projects: [1] },
      { name: "modest", token: "token-modest", projects: [1] },
      { name: "second", token: "token-second", projects: [2] },
    ],
    onEnd: (end) => {
      stop = end;
    },
  });
  for (const project of [1, 2]) {
    for (let from = 0; from < readers; from += 300) {
      await server.report(
        project,
        Array.from({ length: 300 }, (_, at) => userOf(from + at)),
      );
    }
    await server.report(
      project,
      Array.from({ length: groups }, (_, at) => eventOf(at)),
    );
    await server.counted(project, groups);
  }
}, 120_000);

afterAll(() => stop());

async function ask(token: string, projectId: number): Promise<Envelope> {
  const response = await server.post(`/open/event-analyze?token=${token}`, lightOf(projectId));
  return (await response.json()) as Envelope;
}

async function gauge(name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)$`, "gm"))];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

const idle = () =>
  vi.waitFor(async () => expect(await gauge("engage_analysis_queries_running")).toBe(0), patient);

it("answers other tokens while one token's queries use all slots and wait for more", async () => {
  const left = new AbortController();
  let ended = 0;
  const greedy = Array.from({ length: 8 }, () =>
    server
      .post("/open/event-analyze?token=token-greedy", endless, {}, left.signal)
      .catch(() => undefined)
      .finally(() => ended++),
  );
  await vi.waitFor(async () => expect(await gauge("engage_analysis_queries_running")).toBe(8), patient);
  const answers = [await ask("token-modest", 1), await ask("token-second", 2)];
  expect(answers.map(({ return_code }) => return_code)).toEqual([0, 0]);
  expect(ended).toBe(0);
  left.abort();
  await Promise.all(greedy);
  await idle();
}, 120_000);

const usersPath = "/open/streaming-download/event-user-list";
const usersOf = (projectId: number) => ({
  ...lightOf(projectId),
  sliceGroupVal: ["Overall"],
  eventIndex: 0,
  selectedColumns: ["#account_id", ...texts],
});

/** A download whose reader takes the header of the answer and nothing more. */
async function openUnread(token: string): Promise<http.ClientRequest> {
  const url = new URL(`${usersPath}?token=${token}`, server.url);
  const request = http.request(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    agent: false,
  });
  request.on("error", () => undefined);
  request.end(JSON.stringify(usersOf(1)));
  const response = await new Promise<http.IncomingMessage>((resolve) => request.once("response", resolve));
  response.on("error", () => undefined);
  response.pause();
  return request;
}

it("streams to others while one token's downloads are not read", async () => {
  const unread = await Promise.all(Array.from({ length: 8 }, () => openUnread("token-greedy")));
  expect(await gauge("engage_analysis_queries_running")).toBe(8);
  const files = await Promise.all(
    [
      ["token-modest", 1],
      ["token-second", 2],
    ].map(async ([token, project]) => {
      const response = await server.post(`${usersPath}?token=${token}`, usersOf(Number(project)));
      return response.text();
    }),
  );
  expect(await gauge("engage_analysis_queries_running")).toBe(8);
  expect(files.map((text) => text.trimEnd().split("\n").length)).toEqual([groups + 1, groups + 1]);
  for (const request of unread) request.destroy();
  await idle();
}, 120_000);
