import { describe, expect, it } from "vitest";
import { readCase } from "../../proto/cases.ts";
import { token } from "./analysis-server.ts";
import { analyze, type Body, listUsers, login, openCases } from "./cases-server.ts";

const consumed = (account: string, city: string) => ({
  "#type": "track",
  "#event_name": "consume_item",
  "#account_id": account,
  "#time": "2021-12-27 01:00:00",
  properties: { "#city": city, item_num: 2 },
});

describe("real analysis bodies", () => {
  it("are answered or refused as their verdicts say", { timeout: 60_000 }, async () => {
    const server = await openCases("2026-08-26");
    const verdicts: readonly [file: string, code: number, says?: string][] = [
      ["a002_skill_template_limit_timeout.json", 0],
      ["a003_skill_task_zone8_nogroup.json", 0],
      ["a006_openapi_example_equal_cn.json", 0],
      ["a007_streamlit_minimal_events_projectId.json", 0],
      ["a008_quota_entities_trig_user.json", 0],
      ["a020_pet_synthesis_list_group.json", 0],
      ["a022_resource_get_object_subprops.json", 0],
      ["a024_death_drop.json", 0],
      ["a028_guessed_comparators.json", -1001, '"greater", "range"'],
      ["a030_unknown_dimensions_filter.json", 0],
      ["a031_legacy_timetype_free.json", -1001, "eventView: is required"],
      ["a032_wrong_body_mock.json", -1001, "TOTAL_TIMES"],
      ["a033_date_only_and_empty_eventsplit.json", -1001, "projectId: is required"],
      ["a034_mcp_readme_empty_events.json", -1001, "eventView: is required"],
      ["a035_mcp_mapped_recentday_group.json", 0],
      ["a038_per_capita_formula_login.json", 0],
      ["a042_dungeon_dimension_and_max.json", 0],
      ["a044_compound_filter.json", 0],
      ["a045_internal_qp_not_open_api.json", -1001, '"minute", "minute5"'],
      ["a046_percentile.json", 0],
      ["a049_any_event.json", 0],
    ];
    for (const [file, code, says = "success"] of verdicts) {
      const answer = await server.ask(analyze, readCase(file));
      expect(answer.return_code, `${file}: ${answer.return_message}`).toBe(code);
      expect(answer.return_message, file).toContain(says);
    }
  });

  it("a001, d001: the manual's own sample, compared, split, and as a file", async () => {
    const server = await openCases("2021-12-28");
    await server.report(377, [
      login("u", "2021-12-23", { brand: "苹果", browser: "Safari" }),
      login("u", "2021-12-15", { brand: "小米", browser: "Chrome" }),
      login("u", "2021-12-23", { brand: "other" }),
    ]);
    await server.counted(377, 3);
    const { data } = await server.ask(analyze, readCase("a001_official_doc_sample.json"));
    expect([data.x[0], data.x.at(-1)]).toEqual(["2021-12-21", "2021-12-27"]);
    expect([data.x_compared[0], data.x_compared.at(-1)]).toEqual(["2021-12-14", "2021-12-20"]);
    expect(data.union_groups).toEqual([["小米"], ["苹果"]]);
    const now = ["0", "0", "1", "0", "0", "0", "0"];
    const then = ["0", "1", "0", "0", "0", "0", "0"];
    const none = ["0", "0", "0", "0", "0", "0", "0"];
    expect(data.y).toEqual([
      { "login.TOTAL_TIMES(Chrome)": [entry("小米", none, then)] },
      { "login.TOTAL_TIMES(Safari)": [entry("苹果", now, none)] },
      { "activity_attend.TRIG_USER_NUM": [] },
    ]);
    const file = await server.post(
      `/open/streaming-download/event-analyze?token=${token}`,
      readCase("d001_stream_event_analyze.json"),
    );
    expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const lines = (await file.text()).split("\n");
    expect(lines[0]).toContain('"2021-12-21"');
    expect(lines).toHaveLength(4);
  });

  it("a005: an analysis of another kind is not here", async () => {
    const server = await openCases();
    const path = `/open/distribution-analyze?token=${token}`;
    const response = await server.post(path, readCase("a005_distribution_customized_starttonow.json"));
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(await response.json()).toMatchObject({ return_code: -1001 });
  });

  it("a030: what is not known of a body is named", async () => {
    const server = await openCases("2026-05-31");
    const { data } = await server.ask(analyze, readCase("a030_unknown_dimensions_filter.json"));
    const named = ["dimensions", "filter", "eventView.statType"];
    for (const name of named) expect(data.warnings.join("\n")).toContain(name);
  });

  it("a011 to a018: the relative range is the one that stands beside it", async () => {
    const server = await openCases("2025-12-29");
    const files = [
      "a011_recentday_1_1.json",
      "a012_recentday_w0.json",
      "a013_recentday_w1.json",
      "a014_recentday_m0.json",
      "a015_recentday_m1.json",
      "a016_recentday_0_7.json",
      "a017_recentday_1_30.json",
      "a018_recentday_5_19.json",
    ];
    for (const file of files) {
      const body = readCase(file) as { eventView: { startTime: string; endTime: string } };
      const { data } = await server.ask(analyze, body);
      const { startTime, endTime } = body.eventView;
      expect(data.range, file).toEqual({ start_time: startTime, end_time: endTime });
    }
  });

  it("a037: each of the official comparators is taken", async () => {
    const server = await openCases();
    const bodies = readCase("a037_all_23_official_comparators.json") as Body[];
    expect(bodies).toHaveLength(23);
    for (const body of bodies) {
      expect(await server.ask(analyze, body), JSON.stringify(body)).toMatchObject({ return_code: 0 });
    }
  });

  it("r001: a grouped answer has the shape that clients read", async () => {
    const server = await openCases("2026-08-25");
    const recorded = readCase("r001_event_analyze_grouped.json") as { data: Body };
    await server.report(3, [
      login("a", "2026-08-23", { v: "1.0" }),
      login("b", "2026-08-24", { v: "1.0" }),
      login("b", "2026-08-24", {}),
    ]);
    await server.counted(3, 3);
    const answer = await server.ask(analyze, {
      projectId: 3,
      eventView: {
        recentDay: "1-2",
        timeParticleSize: "day",
        groupBy: [{ columnName: "v", tableType: "event" }],
      },
      events: [{ type: "normal", eventName: "login", analysis: "TRIG_USER_NUM" }],
    });
    expect(Object.keys(answer.data)).toEqual(expect.arrayContaining(Object.keys(recorded.data)));
    expect(answer.data).toMatchObject({
      x: ["2026-08-23", "2026-08-24"],
      union_groups: [["1.0"], ["(null)"]],
      union_group_num: 2,
      y: [
        {
          "login.TRIG_USER_NUM": [
            { group_cols: ["1.0"], group_num: 2, values: ["1", "1"] },
            { group_cols: ["(null)"], group_num: 2, values: ["0", "1"] },
          ],
        },
      ],
    });
  });

  it("r002: without a token", async () => {
    const server = await openCases();
    const response = await server.post(`${analyze}?token=`, readCase("a049_any_event.json"));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(readCase("r002_error_token_empty.json"));
  });

  it("u001, u003, d002: users of a number", async () => {
    const server = await openCases("2021-12-28");
    await server.report(377, [
      consumed("a", "Beijing"),
      consumed("a", "Beijing"),
      consumed("b", "Shanghai"),
      {
        "#type": "user_set",
        "#account_id": "a",
        "#time": "2021-12-27 01:00:00",
        properties: { vip_level: 3 },
      },
    ]);
    await server.counted(377, 3);
    const one = await server.ask(listUsers, readCase("u001_user_list_template.json"));
    expect(one.data.datalist).toEqual([
      expect.objectContaining({ "#user_id": 1, "#account_id": "a", vip_level: 3 }),
    ]);
    const overall = readCase("u003_user_list_ungrouped_overall.json") as Body;
    for (const sliceGroupVal of [overall["sliceGroupVal"], ["Overall"], []]) {
      const { data } = await server.ask(listUsers, { ...overall, sliceGroupVal });
      expect(data.datalist).toHaveLength(2);
    }
    const file = await server.post(
      `/open/streaming-download/event-user-list?token=${token}&header=names`,
      readCase("d002_stream_user_list_selected_columns.json"),
    );
    expect(await file.text()).toBe(
      '"#account_id","#distinct_id","#user_id","vip_level","register_time"\n"a","","1","3",""\n',
    );
  });
});

function entry(group: string, values: readonly string[], values_compared: readonly string[]) {
  return { group_cols: [group], group_num: 1, values, values_compared };
}
