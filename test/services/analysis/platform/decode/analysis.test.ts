import { create, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type EventQuery, EventQuerySchema } from "../../../../../gen/engage/analysis/v1/query_pb.ts";
import { EventAnalysisSchema, UserListSchema } from "../../../../../gen/engage/analysis/v1/result_pb.ts";
import { decodeAnalysis } from "../../../../../services/analysis/platform/decode/analysis.ts";
import { readCase } from "../../../../proto/cases.ts";
import { answerChunks, answerText } from "../fake-platform.ts";
import { query, run, userQuery } from "../platform-engine.ts";
import { engine, label, NORMAL, platform, TRIG_USER_NUM, typed, useFakeEngine } from "./fake-engine.ts";

useFakeEngine();

const options = { percentAs: "fraction", overallLabels: ["Overall", "总体"] } as const;

const nothing = { nullValue: null };

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
