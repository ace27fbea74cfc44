import { expect, it } from "vitest";
import { openAnalysisServer, token } from "./analysis-server.ts";

const nowMs = Date.parse("2026-08-20T12:00:00Z");
const days = 3;

/** Each four have an average of 343.235, whose nearest double is below or above, as sums happen to be rounded. */
const amounts = Array.from({ length: 100 }, (_, i) => [343.22, 343.25, 343.23, 343.24][i % 4]!);

const recordOf = (amount: number, i: number) => ({
  "#type": "track",
  "#event_name": "pay",
  "#account_id": `user-${i % 7}`,
  "#time": `2026-08-${17 + (i % days)} 0${i % 10}:00:00`,
  properties: { amount, color: i % 3 === 0 ? "red" : "blue", shop: `shop ${i % 5}` },
});

const metric = (analysis: string, more: object = {}) => ({
  type: "normal",
  eventName: "pay",
  analysis,
  quota: "amount",
  ...more,
});

const queryOf = (projectId: number, timeParticleSize: string, view: object = {}) => ({
  projectId,
  eventView: {
    startTime: "2026-08-17 00:00:00",
    endTime: "2026-08-19 23:59:60",
    timeParticleSize,
    ...view,
  },
  events: [
    ...["SUM", "AVG", "PER_CAPITA_NUM", "MEDIAN"].map((analysis) => metric(analysis, { format: "float4" })),
    metric("PERCENTILE", { analysisParams: "90", format: "FLOAT3" }),
    metric("AVG"),
    metric("SUM", { format: "Integer" }),
    {
      type: "customized",
      eventName: "half",
      customEvent: "pay.amount.SUM / pay.TOTAL_TIMES",
      quotaTimeRanges: [0, 1].map((index) => ({ index, type: "RECENT_DAYS", params: ["3"] })),
    },
  ],
  useCache: false,
});

it("one set of events has one text, in JSON and CSV, in whatever order it came", {
  timeout: 60_000,
}, async () => {
  const server = await openAnalysisServer({ 1: {}, 2: {} }, nowMs);
  const records = amounts.map(recordOf);
  await server.report(1, records);
  for (const some of [records.slice(50).reverse(), records.slice(0, 50).reverse()])
    await server.report(2, some);
  for (const project of [1, 2]) await server.counted(project, amounts.length);
  for (const [unit, view] of [
    ["total", {}],
    ["day", {}],
    ["day", { groupBy: [{ columnName: "shop", tableType: "event" }] }],
  ] as const) {
    const answers = [];
    for (const project of [1, 2, 1, 2]) {
      const { data, return_message: message } = await server.ask(
        "/open/event-analyze",
        queryOf(project, unit, view),
      );
      expect(message).toBe("success");
      answers.push(data.y);
      const file = await server.post(
        `/open/streaming-download/event-analyze?token=${token}`,
        queryOf(project, unit, view),
      );
      const text = await file.text();
      const rows = text.trim().split("\n").slice(1);
      const cells = data.y.flatMap((one: Record<string, { values: string[] }[]>) =>
        Object.values(one)[0]!.map(({ values }) => values.map((value) => `"${value}"`).join(",")),
      );
      expect(rows).toHaveLength(cells.length);
      expect(rows.map((row, i) => row.endsWith(cells[i]!))).toEqual(rows.map(() => true));
    }
    for (const other of answers) expect(other).toEqual(answers[0]);
  }
  const { data } = await server.ask("/open/event-analyze", queryOf(1, "total"));
  const texts = data.y.map(
    (one: Record<string, { values: string[] }[]>) => Object.values(one)[0]![0]!.values[0],
  );
  expect(texts).toEqual([
    "34323.5000",
    "343.2350",
    "4903.3571",
    "343.2350",
    "343.250",
    "343.24",
    "34324",
    "343.24",
  ]);
});

it("the users of one value of a split are as many as its number", { timeout: 60_000 }, async () => {
  const server = await openAnalysisServer({ 1: {} }, nowMs);
  await server.report(1, amounts.slice(0, 5).map(recordOf));
  await server.counted(1, 5);
  const eventSplit = {
    event: { eventName: "pay" },
    groupByProp: { columnName: "color", tableType: "event" },
  };
  const query = {
    ...queryOf(1, "total", { eventSplit }),
    events: [{ ...metric("TRIG_USER_NUM"), quota: "", eventSplitIndexes: [0] }],
  };
  const { data, return_message: message } = await server.ask("/open/event-analyze", query);
  expect(message).toBe("success");
  const numbers = Object.assign({}, ...data.y) as Record<string, { values: string[] }[]>;
  for (const [color, count] of [
    ["red", 2],
    ["blue", 3],
  ] as const) {
    expect(numbers[`pay.TRIG_USER_NUM(${color})`]![0]!.values).toEqual([String(count)]);
    const slice = { ...query, eventIndex: 0, sliceGroupVal: [color] };
    expect((await server.ask("/open/event-user-list", slice)).data.datalist).toHaveLength(count);
    const table = { ...slice, selectedColumns: ["#account_id"] };
    const file = await server.post(`/open/streaming-download/event-user-list?token=${token}`, table);
    expect((await file.text()).trim().split("\n")).toHaveLength(count + 1);
  }
});
