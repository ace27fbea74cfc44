import { create, toJson } from "@bufbuild/protobuf";
import { afterAll, describe, expect, test } from "vitest";
import {
  type DownloadEventsResponse,
  DownloadEventUsersResponseSchema,
} from "../../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import {
  Aggregation,
  MetricType,
  ValueFormat,
} from "../../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import {
  EventDownloadQuerySchema,
  type EventQuery,
  EventQuerySchema,
} from "../../../../../gen/engage/analysis/v1/query_pb.ts";
import { EventAnalysisSchema, UserListSchema } from "../../../../../gen/engage/analysis/v1/result_pb.ts";
import { decodeAnalysis } from "../../../../../services/analysis/platform/decode/analysis.ts";
import { matchMetrics } from "../../../../../services/analysis/platform/decode/match-metrics.ts";
import { decodeValue, valuesOf } from "../../../../../services/analysis/platform/decode/values.ts";
import { readCase } from "../../../../proto/cases.ts";
import { answerChunks, answerText, answerUnmarked, openFakePlatform } from "../fake-platform.ts";
import {
  collect,
  downloadQuery,
  openEngine,
  query,
  restCall,
  run,
  userDownloadQuery,
  userQuery,
} from "../platform-engine.ts";

const platform = await openFakePlatform();
const engine = openEngine(platform.url, { unmarkedEnd: "accept" });
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
});
const { signal } = new AbortController();
const typed = { signal, rest: undefined };
const options = { percentAs: "fraction", overallLabels: ["Overall", "总体"] } as const;
const { NORMAL, CUSTOMIZED } = MetricType;
const { TOTAL_TIMES, TRIG_USER_NUM, SUM } = Aggregation;

const label = (text: string) => ({ label: text });
const nothing = { nullValue: null };

describe("values", () => {
  const { UNSPECIFIED, PERCENT } = ValueFormat;
  test.each([
    ["120", UNSPECIFIED, 120],
    [120, UNSPECIFIED, 120],
    ["-1.5", UNSPECIFIED, -1.5],
    ["1,234,567.5", UNSPECIFIED, 1_234_567.5],
    ["1e3", UNSPECIFIED, 1_000],
    [" 7 ", UNSPECIFIED, 7],
    ["0", UNSPECIFIED, 0],
    ["12.34%", UNSPECIFIED, 0.1234],
    ["14.7%", PERCENT, 0.147],
    ["0.5", PERCENT, 0.5],
    ["-", UNSPECIFIED, Number.NaN],
    ["", UNSPECIFIED, Number.NaN],
    [null, UNSPECIFIED, Number.NaN],
    [undefined, UNSPECIFIED, Number.NaN],
    ["NaN", UNSPECIFIED, Number.NaN],
    ["(null)", UNSPECIFIED, Number.NaN],
    ["many", UNSPECIFIED, undefined],
    ["1,23", UNSPECIFIED, undefined],
    ["0x10", UNSPECIFIED, undefined],
    ["1e400", UNSPECIFIED, undefined],
    [true, UNSPECIFIED, undefined],
    [["1"], UNSPECIFIED, undefined],
  ])("%j is %s", (value, format, expected) => {
    expect(decodeValue(value, format, "fraction")).toEqual(expected);
  });

  test.each([
    ["12.34", 0.1234],
    ["12.34%", 0.1234],
    [12.5, 0.125],
    [1e-7, 1e-9],
  ])("%j of the format percent is %f where numbers are percents", (value, expected) => {
    expect(decodeValue(value, PERCENT, "percent")).toBe(expected);
    expect(decodeValue("12", UNSPECIFIED, "percent")).toBe(12);
  });

  test.each([
    [{ values: [1, 2] }, [1, 2]],
    [{ values: { a: 1, b: 2 } }, [1, 2]],
    [{ values: { b: 2 } }, [undefined, 2]],
    [{ stageValue: ["1", "2"] }, ["1", "2"]],
    [{ stageValue: [["1", "2"]] }, ["1", "2"]],
    [{ stageValue: { 0: ["1", "2"] } }, ["1", "2"]],
    [{ stageValue: { total: { values: ["1", "2"], values_compared: ["3"] } } }, ["1", "2"]],
    [{ stageValue: [{ stage: "0", values: ["1", "2"] }] }, ["1", "2"]],
    [{ stageValue: { 0: { a: "1", b: "2" } } }, ["1", "2"]],
    [{ stageValue: { 0: ["1"], 1: ["2"] } }, undefined],
    [{ stageValue: "x" }, undefined],
    [{}, undefined],
  ])("are found in %j", (entry, expected) => {
    expect(valuesOf(entry, "values", ["a", "b"])).toEqual(expected);
  });

  test.each([
    [{ values_compared: ["3"] }, ["3"]],
    [{ stageValue: { 0: { values: ["1"], values_compared: ["3"] } } }, ["3"]],
    [{ stageValue: ["1"] }, undefined],
  ])("of the comparison are found in %j", (entry, expected) => {
    expect(valuesOf(entry, "values_compared", ["a"])).toEqual(expected);
  });
});

describe("results find their metrics", () => {
  const metrics = create(EventQuerySchema, {
    events: [
      { type: NORMAL, eventName: "login", analysis: TOTAL_TIMES },
      { type: NORMAL, eventName: "pay", quota: "amount", analysis: SUM, eventSplitIndexes: [0] },
      { type: CUSTOMIZED, eventName: "rate", customEvent: "a.TOTAL_TIMES/b.TOTAL_TIMES" },
      { type: NORMAL, eventName: "login", analysis: TOTAL_TIMES },
    ],
  }).events;
  const match = (keys: string[]) =>
    matchMetrics(keys, metrics)?.map((one) => [one.eventIndex, one.splitValue]);

  test.each([
    ["in order", ["login.TOTAL_TIMES", "pay.amount.SUM", "rate", "login.TOTAL_TIMES"], [0, 1, 2, 3]],
    ["with numbers", ["1_login.TOTAL_TIMES", "pay.amount.SUM", "rate", "2_login.TOTAL_TIMES"], [0, 1, 2, 3]],
    ["in another order", ["rate", "login.TOTAL_TIMES", "login.TOTAL_TIMES", "pay.SUM"], [2, 0, 3, 1]],
    ["some only", ["rate"], [2]],
    ["by place where keys say nothing", ["A", "B", "C", "D"], [0, 1, 2, 3]],
  ])("%s", (_name, keys, expected) => {
    expect(match(keys)).toEqual(expected.map((index) => [index, undefined]));
  });

  test("with the values of the event split", () => {
    expect(match(["pay.amount.SUM(a)", "pay.amount.SUM((null))", "login.TOTAL_TIMES"])).toEqual([
      [1, "a"],
      [1, "(null)"],
      [0, undefined],
    ]);
  });

  test("or not at all", () => {
    expect(match(["A", "B"])).toBeUndefined();
  });
});

describe("an analysis", () => {
  test("recorded from a deployment (r001)", () => {
    const { data } = readCase("r001_event_analyze_grouped.json") as { data: object };
    expect(toJson(EventAnalysisSchema, decodeAnalysis(data, query, options))).toEqual({
      result_generate_time: "2026-08-25T06:05:10Z",
      union_groups: [
        { group_cols: [label("1.0")] },
        { group_cols: [label("1.1")] },
        { group_cols: [nothing] },
      ],
      union_group_num: 3,
      x: [label("2026-08-23"), label("2026-08-24")],
      y: [
        {
          result_key: "install.TRIG_USER_NUM",
          event_uuid: "u-1",
          display_name: "Installs",
          group_num: 3,
          entries: [
            { group_cols: [label("1.0")], values: { numbers: [120, 98] } },
            { group_cols: [label("1.1")], values: { numbers: [7, "NaN"], missing: [1] } },
            { group_cols: [nothing], values: { numbers: [0, 1] } },
          ],
        },
      ],
      info: { zone: { offset_hours: 8 } },
    });
  });

  const ungrouped = (groupCols?: unknown) => ({
    x: ["d"],
    extra: 1,
    y: [{ k: [{ group_cols: groupCols, values: ["1"], more: {} }] }],
  });
  const without: EventQuery = create(EventQuerySchema, {
    events: [{ type: NORMAL, eventName: "e", analysis: TRIG_USER_NUM }],
  });

  test.each([[["Overall"]], [["总体"]], [[]], [undefined], [null]])("without groups: %j", (groupCols) => {
    const result = decodeAnalysis(ungrouped(groupCols), without, options);
    expect(result.y[0]?.entries[0]?.groupCols).toEqual([]);
    expect(result).toMatchObject({ unionGroups: [{ groupCols: [] }], unionGroupNum: 1 });
    expect(result.resultGenerateTime).toBeUndefined();
  });

  test("a label of a group is no group of all, whatever it says", () => {
    const { y } = decodeAnalysis(ungrouped(["Overall"]), query, options);
    expect(y[0]?.entries[0]?.groupCols[0]?.value).toEqual({ case: "label", value: "Overall" });
  });

  test("union groups that are missing are those of the entries", () => {
    const entries = ["a", "(null)", "a", "b"].map((group) => ({ group_cols: [group], values: [1] }));
    const { unionGroups } = decodeAnalysis({ x: ["d"], y: [{ k: entries }] }, query, options);
    expect(unionGroups.map(({ groupCols }) => groupCols[0]?.value.value)).toEqual(["a", 0, "b"]);
  });

  test("a cut is noticed by the number of groups", () => {
    const entry = { group_cols: ["a"], group_num: "7", values: [1] };
    const result = decodeAnalysis({ x: ["d"], y: { k: [entry] } }, query, options);
    expect(result).toMatchObject({ unionGroupNum: 7, info: { truncated: true } });
  });

  test("a comparison has values of its own, or none", () => {
    const compared = create(EventQuerySchema, {
      ...query,
      eventView: { ...query.eventView!, comparedByTime: true },
    });
    const entries = [
      { group_cols: ["a"], values: ["1"], values_compared: ["-", "2"] },
      { group_cols: ["b"], values: ["1"] },
    ];
    const data = { x: ["d"], x_compared: ["c", "e"], y: [{ k: entries }] };
    const result = decodeAnalysis(data, compared, options);
    expect(result.y[0]?.entries.map(({ valuesCompared }) => valuesCompared?.numbers)).toEqual([
      [Number.NaN, 2],
      undefined,
    ]);
  });

  test("a value that is no number is missing, with a warning that names it", () => {
    const data = {
      x: ["d", "e"],
      y: [{ k: [{ group_cols: ["a"], values: ["oops", "1"] }] }],
      warnings: ["slow"],
    };
    const { y, info } = decodeAnalysis(data, query, options);
    expect(y[0]?.entries[0]?.values).toMatchObject({ numbers: [Number.NaN, 1], missing: [0] });
    expect(info?.warnings.map(({ message }) => message)).toEqual([
      'k[0]: "oops" is not a number and counts as no value',
      "slow",
    ]);
  });

  test("reaches REST callers as the bytes it came in", async () => {
    const body = Buffer.from('{"return_code":0, "data":{"y":[1.0,1e2,12345678901234567890]},"b":1,"a":2}\n');
    platform.behave(answerChunks("application/json", [body.subarray(0, 9), body.subarray(9)]));
    const [analysis, users] = [await run(engine, "analyze", "rest"), await run(engine, "listUsers", "rest")];
    for (const [answer, bytes] of [analysis, users]) {
      expect(answer).toMatchObject({ returnCode: 0, returnMessage: "success" });
      expect(body.equals(bytes as Uint8Array)).toBe(true);
    }
  });
});

test("a user list keeps numbers, texts and large ids", async () => {
  const user = `{"#user_id":12345678901234567890,"#account_id":"007","#distinct_id":null,"vip":3,"name":"n","big":9007199254740993,"tags":["a"]}`;
  const meta = `{"#user_id":"User","vip":5}`;
  const body = `{"return_code":0,"data":{"datalist":[${user},{}],"columMeta":${meta}}}`;
  platform.behave(answerText(200, "application/json", body));
  const { data } = (await engine.listUsers(userQuery, typed)).message;
  expect(toJson(UserListSchema, data!)).toEqual({
    datalist: [
      {
        userId: "12345678901234567890",
        accountId: "007",
        properties: { vip: 3, name: "n", big: "9007199254740993", tags: ["a"] },
      },
      { properties: {} },
    ],
    columMeta: { "#user_id": "User", vip: "5" },
    info: { zone: { offset_hours: 8 } },
  });
});

describe("downloads", () => {
  const rowOf = (entry: {
    groupCols: readonly { value: { value?: unknown } }[];
    values?: unknown;
    valuesCompared?: unknown;
  }) => [
    entry.groupCols.map(({ value }) => value.value),
    ...[entry.values, entry.valuesCompared]
      .filter(Boolean)
      .map((series) => (series as { numbers: number[] }).numbers),
  ];
  const indexes = (pieces: readonly DownloadEventsResponse[]) =>
    pieces
      .map(({ content }) => content)
      .filter((content) => content.case === "rows")
      .map(({ value }) => [value.eventIndex, value.resultKey, value.entries.map(rowOf)]);
  const load = async (csv: string, asked = downloadQuery) => {
    platform.behave(answerText(200, "text/csv", csv));
    return collect(engine.download(asked, typed));
  };

  test("of events become a header and entries", async () => {
    const pieces = await load(
      '\ufeff"Metric","Version","2026-08-23","2026-08-24"\n"Installs","1.0","7","-"\r\n"Installs","(null)","1,000","0"\n',
    );
    expect(pieces[0]?.content).toMatchObject({
      case: "header",
      value: {
        groupColumns: [{ name: "version", displayName: "Version" }],
        x: [{ label: "2026-08-23" }, { label: "2026-08-24" }],
        xCompared: [],
      },
    });
    expect(indexes(pieces)).toEqual([
      [
        0,
        "Installs",
        [
          [["1.0"], [7, Number.NaN]],
          [[0], [1_000, 0]],
        ],
      ],
    ]);
  });

  test.each([
    [
      "the metric behind the groups",
      "Version,Metric,2026-08\n1.0,Installs,7\n",
      [0, "Installs", [[["1.0"], [7]]]],
    ],
    [
      "no column for the only metric",
      "Version,2026-08\n1.0,7\n",
      [0, "install.TRIG_USER_NUM", [[["1.0"], [7]]]],
    ],
    ["one total", "Metric,Version,Total\nInstalls,1.0,7\n", [0, "Installs", [[["1.0"], [7]]]]],
    ["a name that is unknown", "Metric,Version,2026-08\n安装,1.0,7\n", [0, "安装", [[["1.0"], [7]]]]],
  ])("with %s", async (_name, csv, expected) => {
    expect(indexes(await load(csv))).toEqual([expected]);
  });

  test("with the header only", async () => {
    expect(await load("Metric,Version,2026-08\n")).toMatchObject([{ content: { case: "header" } }]);
  });

  test("with several metrics, and a comparison", async () => {
    const asked = create(EventDownloadQuerySchema, {
      eventView: { comparedByTime: true },
      events: [
        { type: NORMAL, eventName: "a", analysis: TOTAL_TIMES },
        { type: NORMAL, eventName: "b", analysis: TOTAL_TIMES, format: ValueFormat.PERCENT },
      ],
    });
    const pieces = await load(
      "Metric,2026-08,2026-07 (compared)\nb.TOTAL_TIMES,5%,-\na.TOTAL_TIMES,1,2\n",
      asked,
    );
    expect(pieces[0]?.content.value).toMatchObject({
      x: [{ label: "2026-08" }],
      xCompared: [{ label: "2026-07 (compared)" }],
    });
    expect(indexes(pieces)).toEqual([
      [1, "b.TOTAL_TIMES", [[[], [0.05], [Number.NaN]]]],
      [0, "a.TOTAL_TIMES", [[[], [1], [2]]]],
    ]);
  });

  test("of many rows come in messages of 500 entries", async () => {
    const rows = Array.from({ length: 1_200 }, (_, i) => `Installs,${i},1\n`).join("");
    const pieces = await load(`Metric,Version,2026-08-23\n${rows}`);
    const sizes = pieces.map(({ content }) => (content.case === "rows" ? content.value.entries.length : 0));
    expect(sizes).toEqual([0, 500, 500, 200]);
  });

  test("of users are texts, and null where there is none", async () => {
    platform.behave(answerText(200, "application/octet-stream", 'Account,VIP\n"a,""b",007\n,\n'));
    const pieces = await collect(engine.downloadUsers(userDownloadQuery, typed));
    expect(pieces.map((piece) => toJson(DownloadEventUsersResponseSchema, piece))).toEqual([
      {
        header: {
          columns: [
            { name: "#account_id", displayName: "Account" },
            { name: "vip", displayName: "VIP" },
          ],
          info: { zone: { offset_hours: 8 } },
        },
      },
      { rows: { rows: [{ values: ['a,"b', "007"] }, { values: [null, null] }] } },
    ]);
  });

  test.each([
    ["a brace", '{"name"},2026\nx,1\n'],
    ["nothing but a blank", " \n"],
    ["a smaller sign", "<name>,2026\n"],
  ])("that begin with %s reach REST callers untouched", async (_name, csv) => {
    platform.behave(answerChunks("text/csv", [csv]));
    const pieces = await collect(engine.download(downloadQuery, { signal, rest: restCall }));
    const raw = pieces.map(({ content }) => content.value as Uint8Array);
    expect(Buffer.concat(raw).toString()).toBe(csv);
  });

  test("without a marked end pass when the configuration says so", async () => {
    platform.behave(answerUnmarked("text/csv", "a,b\n"));
    expect(await run(engine, "download", "rest")).toHaveLength(1);
  });
});
