import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { AnalysisProxy } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { Aggregation, MetricType } from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { TimeParticleSize } from "../../../gen/engage/analysis/v1/event_view_pb.ts";
import { BadRequestSchema, ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { type AnalysisServer, type Envelope, openAnalysisServer, token } from "./analysis-server.ts";
import { harmless, invisible, plain, refusals, sql } from "./hostile-queries.ts";

const values = (answer: Envelope): string[] =>
  (Object.values(answer.data.y[0])[0] as { values: string[] }[])[0]!.values;

const day = "2026-01-01 10:00:00";
const track = (properties: object, more: object = {}) => ({
  "#type": "track",
  "#event_name": "play",
  "#time": day,
  "#account_id": "a",
  properties: { n: 5, ...properties },
  ...more,
});

/** Four of `play` are good: there are names that are none, and a day that there is not. */
const records = [
  track({ g: "a" }),
  track({ [sql]: 1, 'a"b': 2 }, { "#event_name": "named" }),
  track({ g: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", constructor: 1, o: { "a;b": 1, constructor: 2 } }),
  track({ g: sql, l: [sql, null, 3] }, { "#account_id": sql }),
  track({ g: invisible }),
  track({ g: "a" }, { "#event_name": sql }),
  track({ g: "a" }, { "#time": "2026-02-30 00:00:00" }),
];

let server: AnalysisServer;

async function healthy(): Promise<void> {
  expect(values(await server.ask("/open/event-analyze", plain))).toEqual(["4", "0"]);
}

function expectNoFault(text: string): void {
  expect(text).not.toMatch(/^\s+at |internal error|node_modules|SELECT|Binder|Parser Error/m);
}

beforeAll(async () => {
  const ends: (() => Promise<void>)[] = [];
  const onEnd = (stop: () => Promise<void>) => void ends.push(stop);
  server = await openAnalysisServer({ 1: {} }, Date.UTC(2026, 0, 3), { onEnd });
  await server.report(1, records);
  await vi.waitFor(healthy, { timeout: 60_000, interval: 100 });
  return ends[0]!;
}, 120_000);

const paths = ["event-analyze", "event-user-list", "streaming-download/event-analyze"];

describe("over REST", () => {
  it.each(refusals)("%s: %s", async (field, says, body) => {
    const response = await server.post(`/open/event-analyze?token=${token}`, body);
    const text = await response.text();
    expect(response.status).toBe(200);
    expectNoFault(text);
    const { return_code, return_message } = JSON.parse(text) as Envelope;
    expect(return_code).toBe(-1001);
    expect(return_message).toContain(`${field}: `);
    expect(return_message).toContain(says);
    expect(text.length).toBeLessThan(5_000);
  });

  it.each(paths)("/open/%s never answers with a fault", async (path) => {
    for (const [, says, body] of refusals) {
      const response = await server.post(`/open/${path}?token=${token}`, body);
      const text = await response.text();
      expectNoFault(text);
      // A download has no limit and no time, so that some are no faults there, and begin with the header of a file.
      expect(text, says).toMatch(/^(?:\{"return_code":-1001,|")/);
    }
  });

  it.each(harmless)("%s", async (_name, events, body) => {
    const answer = await server.ask("/open/event-analyze", body);
    expect(answer).toMatchObject({ return_code: 0 });
    expect(values(answer)).toEqual([events, "0"]);
  });

  it("answers as before after all of this", healthy);
});

describe("over gRPC", () => {
  const eventView = {
    startTime: "2026-01-01",
    endTime: "2026-01-02",
    timeParticleSize: TimeParticleSize.DAY,
  };
  const events = [{ type: MetricType.NORMAL, eventName: "play", analysis: Aggregation.TOTAL_TIMES }];
  const typed = { projectId: 1n, eventView, events };
  const bad: readonly (readonly [field: string, query: object])[] = [
    ["zoneOffset", { ...typed, zoneOffset: Number.NaN }],
    ["zoneOffset", { ...typed, zoneOffset: Number.POSITIVE_INFINITY }],
    ["limit", { ...typed, limit: -1 }],
    ["timeoutSeconds", { ...typed, timeoutSeconds: -5 }],
    ["eventView.startTime", { ...typed, eventView: { ...eventView, startTime: "2026-02-30" } }],
    ["eventView.timeParticleSize", { ...typed, eventView: { ...eventView, timeParticleSize: 99 } }],
    ["events[0].analysis", { ...typed, events: [{ ...events[0], analysis: 1_000 }] }],
    ["events", { ...typed, events: [] }],
    ["eventView", { ...typed, eventView: undefined }],
  ];

  it.each(bad)("%s is named as a violation", async (field, query) => {
    const client = createClient(AnalysisProxy, createGrpcTransport({ baseUrl: server.url }));
    const asked = client.analyzeEvents({ query }, { headers: { authorization: `Bearer ${token}` } });
    const error = ConnectError.from(await asked.catch((reason: unknown) => reason));
    const [info] = error.findDetails(ErrorInfoSchema);
    expect(info?.metadata).toMatchObject({ return_code: "-1001" });
    const violations = error.findDetails(BadRequestSchema).flatMap(({ fieldViolations }) => fieldViolations);
    expect(violations.map((one) => one.field)).toContain(field);
    expectNoFault(error.message);
  });

  it("answers as before after all of this", healthy);
});
