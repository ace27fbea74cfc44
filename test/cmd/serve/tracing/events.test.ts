import { expect, test } from "vitest";
import { openEventServer, trackOf } from "../../event-server.ts";
import { dataFolder } from "../../webhook-server.ts";
import { openCollector, treeOf } from "./collector.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const callerSpan = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${callerSpan}-01`;
const patient = { timeout: 20_000, interval: 100 };

const query = {
  projectId: 1,
  useCache: false,
  eventView: { recentDay: "0-3", timeParticleSize: "total" },
  events: [{ type: "normal", eventName: "login", analysis: "TOTAL_TIMES" }],
};

test("the trace of a record ends when it can be queried, and that of a query has its statements", async () => {
  await using collector = await openCollector();
  const tracing = { endpoint: collector.endpoint, delayMs: 1 };
  const server = await openEventServer(dataFolder(), { tracing });
  const sdk = { appid: "app", compress: "none", traceparent };
  await server.post("/sync_server", [trackOf("a"), trackOf("b")], sdk);
  await expect.poll(() => collector.named("load batch").length, patient).toBe(1);
  expect(treeOf(collector.spans, traceId, callerSpan)).toEqual([
    ["engage.event.v1.EventCollector/Ingest", ["load"]],
  ]);
  const [load] = collector.named("load");
  const [batch] = collector.named("load batch");
  expect(load!.kind).toBe(5);
  expect(load!.attributes).toMatchObject({ "engage.project_id": 1, "messaging.operation.type": "process" });
  expect(batch!.links).toEqual([load!.spanId]);
  expect(batch!.attributes).toMatchObject({ "engage.records": 2 });
  expect(batch!.traceId).not.toBe(traceId);

  await server.post("/open/event-analyze?token=query-token", query, { traceparent });
  await expect
    .poll(() => collector.named("engage.analysis.v1.AnalysisProxy/AnalyzeEvents").length, patient)
    .toBe(1);
  const [call] = collector.named("engage.analysis.v1.AnalysisProxy/AnalyzeEvents");
  const statements = collector.spans.filter(({ parentId }) => parentId === call!.spanId);
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.map(({ name, kind }) => ({ name, kind }))).toContainEqual({ name: "SELECT", kind: 3 });
  const [statement] = statements;
  expect(statement!.attributes).toMatchObject({ "db.system.name": "duckdb" });
  expect(statement!.attributes["db.query.text"]).toMatch(/select/i);
  expect(JSON.stringify(statements.map(({ attributes }) => attributes))).not.toContain("login");
});

test("a query that is not sampled has no spans", async () => {
  await using collector = await openCollector();
  const tracing = { endpoint: collector.endpoint, delayMs: 1 };
  const server = await openEventServer(dataFolder(), { tracing });
  const headers = { traceparent: traceparent.replace(/01$/, "00") };
  const response = await server.post("/open/event-analyze?token=query-token", query, headers);
  expect(JSON.parse(response)).toMatchObject({ return_code: 0 });
  await server.stop();
  expect(collector.spans).toEqual([]);
});
