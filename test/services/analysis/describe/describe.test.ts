import { readFileSync } from "node:fs";
import type { DescMessage } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { formatSecond } from "../../../../base/time/local-time.ts";
import {
  EventDownloadQuerySchema,
  EventQuerySchema,
  EventUserDownloadQuerySchema,
  EventUserQuerySchema,
} from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { describeQuery } from "../../../../services/analysis/describe/describe.ts";
import type { EventPlan } from "../../../../services/analysis/describe/event-plan.ts";
import { compileUserScan, type SliceQuery } from "../../../../services/analysis/describe/user-slice.ts";
import type { AnyQuery } from "../../../../services/analysis/engine.ts";
import { readBody } from "../rest/read-body.ts";
import { cohorts, projectOf, schema } from "./described.ts";

/** Bodies that public clients send, all about data of their own. */
const readCase = (name: string): unknown =>
  JSON.parse(readFileSync(`test/testdata/cases/${name}.json`, "utf8"));

function plan(desc: DescMessage, body: unknown, today: string): { query: AnyQuery; plan: EventPlan } {
  const { query, refused } = readBody(desc, body);
  if (refused !== undefined) throw new Error(refused);
  const source = { project: projectOf(), schema, cohorts, nowMs: Date.parse(`${today}T12:00:00Z`) };
  return { query: query as AnyQuery, plan: describeQuery(query as AnyQuery, source) };
}

it.each([
  ["a001_official_doc_sample", "2021-12-28", "2021-12-21 2021-12-27 2021-12-14 2021-12-20"],
  ["a002_skill_template_limit_timeout", "2026-08-26", "2026-08-19 2026-08-25"],
  ["a003_skill_task_zone8_nogroup", "2026-08-26", "2026-08-19 2026-08-25"],
  ["a006_openapi_example_equal_cn", "2025-12-09", "2025-12-02 2025-12-08"],
  ["a007_streamlit_minimal_events_projectId", "2026-03-13", "2026-03-06 2026-03-12"],
  ["a008_quota_entities_trig_user", "2026-03-13", "2026-03-06 2026-03-12"],
  ["a020_pet_synthesis_list_group", "2025-12-29", "2025-11-25 2025-12-29"],
  ["a022_resource_get_object_subprops", "2025-12-29", "2025-11-25 2025-12-29"],
  ["a024_death_drop", "2025-12-29", "2025-11-25 2025-12-29"],
  ["a035_mcp_mapped_recentday_group", "2026-08-26", "2026-08-19 2026-08-25"],
  ["a038_per_capita_formula_login", "2026-08-25", "2026-08-24 2026-08-24"],
  ["a042_dungeon_dimension_and_max", "2026-08-26", "2026-08-25 2026-08-25"],
  ["a044_compound_filter", "2026-08-26", "2026-08-19 2026-08-25"],
  ["a046_percentile", "2026-08-26", "2026-08-19 2026-08-25"],
  ["a049_any_event", "2026-08-26", "2026-08-26 2026-08-26"],
])("%s on %s is about %s", (name, today, days) => {
  const { periods } = plan(EventQuerySchema, readCase(name), today).plan;
  const ends = periods.flatMap(({ range }) => [range.startMs, range.endMs - 1]);
  expect(ends.map((localMs) => formatSecond(localMs).slice(0, 10)).join(" ")).toBe(days);
});

it.each([
  "a011_recentday_1_1",
  "a012_recentday_w0",
  "a013_recentday_w1",
  "a014_recentday_m0",
  "a015_recentday_m1",
  "a016_recentday_0_7",
  "a017_recentday_1_30",
  "a018_recentday_5_19",
])("%s stands for the range that is given beside it", (name) => {
  const body = readCase(name) as { eventView: { startTime: string; endTime: string; recentDay: string } };
  const { startTime, endTime } = body.eventView;
  const [period] = plan(EventQuerySchema, body, "2025-12-29").plan.periods;
  expect([formatSecond(period!.range.startMs), formatSecond(period!.range.endMs - 1)]).toEqual([
    startTime,
    endTime,
  ]);
});

it("takes all comparators of the platform", () => {
  const bodies = readCase("a037_all_23_official_comparators") as unknown[];
  const plans = bodies.map((body) => plan(EventQuerySchema, body, "2026-08-26").plan);
  expect(plans.map(({ metrics }) => metrics.length)).toEqual(bodies.map(() => 1));
});

it.each([
  ["d001_stream_event_analyze", EventDownloadQuerySchema],
  ["d002_stream_user_list_selected_columns", EventUserDownloadQuerySchema],
  ["u001_user_list_template", EventUserQuerySchema],
  ["u003_user_list_ungrouped_overall", EventUserQuerySchema],
])("takes %s", (name, desc) => {
  expect(plan(desc, readCase(name), "2021-12-28").plan.metrics.length).toBeGreaterThan(0);
});

it.each([
  ["u001_user_list_template", EventUserQuerySchema, ["Beijing"]],
  ["u003_user_list_ungrouped_overall", EventUserQuerySchema, []],
  ["d002_stream_user_list_selected_columns", EventUserDownloadQuerySchema, ["Beijing"]],
])("finds the slice of %s", (name, desc, labels) => {
  const { query, plan: described } = plan(desc, readCase(name), "2021-12-28");
  const found = compileUserScan(described, query as SliceQuery);
  expect([found!.group, found!.scan.buckets.startMs]).toEqual([labels, Date.UTC(2021, 11, 26, 14)]);
});

it.each([
  ["u001_user_list_template", EventUserQuerySchema],
  ["u003_user_list_ungrouped_overall", EventUserQuerySchema],
  ["d002_stream_user_list_selected_columns", EventUserDownloadQuerySchema],
])("takes %s years after the slice's date, which has nobody then", (name, desc) => {
  const { query, plan: described } = plan(desc, readCase(name), "2026-11-28");
  expect(compileUserScan(described, query as SliceQuery)).toBeUndefined();
});

it.each([
  ["a028_guessed_comparators", '"greaterThan" is unknown, valid are "equal", "notEqual"'],
  ["a031_legacy_timetype_free", "eventView: is required"],
  ["a032_wrong_body_mock", '"COUNT" is unknown, valid are "TOTAL_TIMES"'],
  ["a033_date_only_and_empty_eventsplit", "projectId: is required"],
  ["a034_mcp_readme_empty_events", "eventView: is required"],
  ["a045_internal_qp_not_open_api", '"A100" is unknown, valid are "TOTAL_TIMES"'],
])("refuses %s", (name, message) => {
  expect(() => plan(EventQuerySchema, readCase(name), "2026-08-26")).toThrow(message);
});

it("refuses the analysis TIMES, which another kind of query has", () => {
  const { events } = readCase("a005_distribution_customized_starttonow") as { events: object[] };
  const body = { projectId: 6, eventView: { recentDay: "1-7", timeParticleSize: "total" }, events };
  expect(() => plan(EventQuerySchema, body, "2026-08-26")).toThrow(
    'events[0].customEvent: "stage_finish.TIMES" ends in the unknown analysis "TIMES", valid are "TOTAL_TIMES"',
  );
});
