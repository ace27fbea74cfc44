import { status } from "@grpc/grpc-js";
import { expect, it, onTestFinished } from "vitest";
import { type GrpcJsClient, openGrpcJs } from "../grpc-js-client.ts";
import { type AnalysisServer, token } from "./analysis-server.ts";
import { openEmptyShop, openShop, shopEvents, shopRecords } from "./shop.ts";

function analysisOf({ url }: AnalysisServer): GrpcJsClient {
  const file = "engage/analysis/v1/analysis_proxy.proto";
  const client = openGrpcJs(url, "engage.analysis.v1.AnalysisProxy", file, token);
  onTestFinished(() => client[Symbol.dispose]());
  return client;
}

function collectorOf({ url }: AnalysisServer): GrpcJsClient {
  const client = openGrpcJs(url, "engage.event.v1.EventCollector", "engage/event/v1/event_collector.proto");
  onTestFinished(() => client[Symbol.dispose]());
  return client;
}

const view = (timeParticleSize: string, more: object = {}) => ({
  startTime: "2026-01-01",
  endTime: "2026-01-02",
  timeParticleSize,
  ...more,
});
const metric = (analysis: string, quota = "") => ({
  type: "METRIC_TYPE_NORMAL",
  eventName: "buy",
  analysis: `AGGREGATION_${analysis}`,
  quota,
});
const days = view("TIME_PARTICLE_SIZE_DAY");
const perVip = view("TIME_PARTICLE_SIZE_DAY", {
  groupBy: [{ columnName: "vip", tableType: "TABLE_TYPE_USER" }],
});

it("AnalyzeEvents answers numbers as numbers, and what is missing as missing", async () => {
  const client = analysisOf(await openShop());
  const events = [metric("TRIG_USER_NUM"), metric("AVG", "price")];
  const { data } = await client.unary("AnalyzeEvents", {
    query: { projectId: 1, eventView: perVip, events },
  });
  expect(data.x).toMatchObject([
    { label: "2026-01-01", start: { seconds: Date.UTC(2026, 0, 1) / 1_000 } },
    { label: "2026-01-02" },
  ]);
  const entries = data.y.map(({ entries }: { entries: unknown }) => entries);
  expect(entries).toMatchObject([
    [
      // One user each over both days, so the text decides.
      { groupCols: [{ label: "1" }], values: { numbers: [0, 1], missing: [] } },
      { groupCols: [{ label: "3" }], values: { numbers: [1, 1], missing: [] } },
    ],
    [
      { groupCols: [{ label: "3" }], values: { numbers: [10, 2.5], missing: [] } },
      { groupCols: [{ label: "1" }], values: { numbers: [Number.NaN, 4], missing: [0] } },
    ],
  ]);
});

it("ListEventUsers and both downloads tell the same users and numbers", async () => {
  const client = analysisOf(await openShop());
  const query = { projectId: 1, eventView: days, events: [metric("TRIG_USER_NUM")] };
  const slice = { ...query, eventIndex: 0, sliceDate: "2026-01-02" };

  const { data } = await client.unary("ListEventUsers", { query: slice });
  const city = (name: string) =>
    expect.objectContaining({ city: expect.objectContaining({ stringValue: name }) });
  expect(data.datalist).toMatchObject([
    { accountId: "ann", distinctId: "device-ann", properties: { fields: city("Köln") } },
    { accountId: "bob", distinctId: "device-bob", properties: { fields: city("Berlin") } },
  ]);

  const [header, ...pieces] = await client.serverStream("DownloadEvents", { query });
  expect(header.header.x.map(({ label }: { label: string }) => label)).toEqual(["2026-01-01", "2026-01-02"]);
  expect(pieces).toMatchObject([
    { rows: { resultKey: "buy.TRIG_USER_NUM", entries: [{ values: { numbers: [1, 2] } }] } },
  ]);

  const [columns, ...lists] = await client.serverStream("DownloadEventUsers", {
    query: { ...slice, selectedColumns: ["#account_id", "vip"] },
  });
  expect(columns.header.columns).toMatchObject([{ name: "#account_id" }, { name: "vip" }]);
  const rows = lists.flatMap(({ rows }) => rows.rows);
  expect(rows).toMatchObject([
    { values: [{ stringValue: "ann" }, { numberValue: 3 }] },
    { values: [{ stringValue: "bob" }, { numberValue: 1 }] },
  ]);
});

it("ImportCluster makes a cohort that queries know", async () => {
  const server = await openShop();
  const client = analysisOf(server);
  const imported = await client.clientStream("ImportCluster", [
    { header: { projectId: 1, name: "friends" } },
    { members: { members: [{ accountId: "bob" }, { accountId: "nobody" }] } },
    { members: { members: [{ distinctId: "device-bob" }] } },
  ]);
  expect(imported).toEqual({ members: 1, unknown: 1, day: "2026-01-03" });
  const filts = [
    { columnName: "friends", tableType: "TABLE_TYPE_CLUSTER", comparator: "COMPARATOR_BELONG_TO_CLUSTER" },
  ];
  const total = view("TIME_PARTICLE_SIZE_TOTAL", { filts });
  const query = { projectId: 1, eventView: total, events: [metric("SUM", "price")] };
  const { data } = await client.unary("AnalyzeEvents", { query });
  expect(data.y[0].entries).toMatchObject([{ values: { numbers: [4] } }]);
});

it("Track says what became of each record, and queries see those that were taken", async () => {
  const server = await openEmptyShop();
  const collector = collectorOf(server);
  const seconds = Date.UTC(2026, 0, 2) / 1_000;
  const buy = { type: "RECORD_TYPE_TRACK", eventName: "buy", accountId: "ann", time: { seconds } };
  const price = (numberValue: number) => ({ fields: { price: { numberValue } } });
  const answer = await collector.unary("Track", {
    appid: "app-1",
    records: [
      { ...buy, properties: price(2.5) },
      { ...buy, properties: { fields: { price: { numberValue: 4 }, "#user_id": { boolValue: true } } } },
      { ...buy, accountId: "" },
    ],
  });
  expect(answer).toMatchObject({
    accepted: 2,
    refused: 1,
    results: [
      { outcome: "accepted", accepted: { dropped: [] } },
      { outcome: "accepted", accepted: { dropped: [{ name: "#user_id", reason: "DROP_REASON_RESERVED" }] } },
      { outcome: "refused", refused: { reason: "REFUSAL_REASON_NO_ID" } },
    ],
  });
  await server.counted(1, 2);
  const query = { projectId: 1, eventView: days, events: [metric("SUM", "price")] };
  const { data } = await analysisOf(server).unary("AnalyzeEvents", { query });
  expect(data.y[0].entries).toMatchObject([{ values: { numbers: [0, 6.5] } }]);
});

it("TrackStream acknowledges batch after batch, in their order", async () => {
  const server = await openEmptyShop();
  const batches = shopRecords.map((record, i) => ({
    sequence: i + 1,
    batch: { projectId: 1, jsonLines: Buffer.from(JSON.stringify(record)) },
  }));
  const answers = await collectorOf(server).bidiStream("TrackStream", batches);
  expect(answers).toMatchObject(
    batches.map(({ sequence }) => ({ sequence, result: { accepted: 1, refused: 0 } })),
  );
  await server.counted(1, shopEvents);
  const query = { projectId: 1, eventView: days, events: [metric("SUM", "price")] };
  const { data } = await analysisOf(server).unary("AnalyzeEvents", { query });
  expect(data.y[0].entries).toMatchObject([{ values: { numbers: [10, 6.5] } }]);
});

it("errors are statuses with a reason", async () => {
  const client = analysisOf(await openEmptyShop());
  const query = { projectId: 1, eventView: days, events: [] };
  await expect(client.unary("AnalyzeEvents", { query })).rejects.toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: "events: must have at least one metric",
  });
  await expect(client.serverStream("DownloadEvents", { token: "stranger", query })).rejects.toMatchObject({
    code: status.PERMISSION_DENIED,
  });
});
