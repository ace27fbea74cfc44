import { type DescMessage, fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { TableType } from "../../gen/engage/analysis/v1/column_pb.ts";
import { Aggregation, MetricType } from "../../gen/engage/analysis/v1/event_metric_pb.ts";
import { TimeParticleSize } from "../../gen/engage/analysis/v1/event_view_pb.ts";
import { Comparator, FilterType, Relation } from "../../gen/engage/analysis/v1/filter_pb.ts";
import {
  EventDownloadQuerySchema,
  EventQuerySchema,
  EventUserDownloadQuerySchema,
  EventUserQuerySchema,
} from "../../gen/engage/analysis/v1/query_pb.ts";
import { readCase } from "./cases.ts";
import { readRestForm } from "./rest_form.ts";

const exported = ["eventView.comparedTimeList"];
const exportedGroup = (index: number) => `eventView.groupBy[${index}].clusterDatePolicy`;

/** Every valid body, and the members the contract leaves to the list of ignored fields. */
const bodies: [file: string, schema: DescMessage, ignored: string[]][] = [
  ["a001_official_doc_sample.json", EventQuerySchema, []],
  ["a002_skill_template_limit_timeout.json", EventQuerySchema, []],
  ["a003_skill_task_zone8_nogroup.json", EventQuerySchema, []],
  ["a006_openapi_example_equal_cn.json", EventQuerySchema, []],
  ["a007_streamlit_minimal_events_projectId.json", EventQuerySchema, ["events[0].projectId"]],
  ["a008_quota_entities_trig_user.json", EventQuerySchema, []],
  ["a011_recentday_1_1.json", EventQuerySchema, exported],
  ["a012_recentday_w0.json", EventQuerySchema, exported],
  ["a013_recentday_w1.json", EventQuerySchema, exported],
  ["a014_recentday_m0.json", EventQuerySchema, exported],
  ["a015_recentday_m1.json", EventQuerySchema, exported],
  ["a016_recentday_0_7.json", EventQuerySchema, exported],
  ["a017_recentday_1_30.json", EventQuerySchema, exported],
  ["a018_recentday_5_19.json", EventQuerySchema, exported],
  [
    "a020_pet_synthesis_list_group.json",
    EventQuerySchema,
    [
      ...exported,
      "eventView.firstDayOfWeek",
      exportedGroup(2),
      "eventView.groupBy[2].timeTypeColumnFormart",
      exportedGroup(6),
    ],
  ],
  [
    "a022_resource_get_object_subprops.json",
    EventQuerySchema,
    [
      ...exported,
      "eventView.firstDayOfWeek",
      exportedGroup(2),
      "eventView.groupBy[2].timeTypeColumnFormart",
      exportedGroup(8),
      exportedGroup(9),
      exportedGroup(10),
    ],
  ],
  [
    "a024_death_drop.json",
    EventQuerySchema,
    [
      ...exported,
      "eventView.firstDayOfWeek",
      exportedGroup(2),
      "eventView.groupBy[2].timeTypeColumnFormart",
      exportedGroup(7),
    ],
  ],
  ["a030_unknown_dimensions_filter.json", EventQuerySchema, ["eventView.statType", "dimensions", "filter"]],
  ["a035_mcp_mapped_recentday_group.json", EventQuerySchema, []],
  ["a038_per_capita_formula_login.json", EventQuerySchema, []],
  ["a042_dungeon_dimension_and_max.json", EventQuerySchema, []],
  ["a044_compound_filter.json", EventQuerySchema, []],
  ["a046_percentile.json", EventQuerySchema, []],
  ["a049_any_event.json", EventQuerySchema, []],
  ["u001_user_list_template.json", EventUserQuerySchema, []],
  ["u003_user_list_ungrouped_overall.json", EventUserQuerySchema, []],
  ["d001_stream_event_analyze.json", EventDownloadQuerySchema, []],
  ["d002_stream_user_list_selected_columns.json", EventUserDownloadQuerySchema, []],
];

/** Bodies whose shape fits, but which lack what the contract requires: refused by what is not set. */
const incomplete: [file: string, missing: Record<string, unknown>][] = [
  ["a031_legacy_timetype_free.json", { eventView: undefined }],
  ["a033_date_only_and_empty_eventsplit.json", { projectId: 0n }],
  ["a034_mcp_readme_empty_events.json", { eventView: undefined, events: [] }],
];

/** Bodies in another vocabulary. */
const foreign: [file: string, fault: string][] = [
  ["a028_guessed_comparators.json", 'eventView.filts[0].comparator: "greaterThan" is not a Comparator'],
  ["a032_wrong_body_mock.json", 'events[0].analysis: "COUNT" is not a Aggregation'],
  ["a045_internal_qp_not_open_api.json", 'events[0].analysis: "A100" is not a Aggregation'],
];

describe("every body fits the typed contract", () => {
  test.each(bodies)("%s", (file, schema, ignored) => {
    const { message, unknown } = readRestForm(schema, readCase(file));
    expect(unknown).toEqual(ignored);
    expect(message).toMatchObject({
      projectId: BigInt((readCase(file) as JsonObject)["projectId"] as string),
    });
  });

  test("a037 has one body for each of 23 comparators, with the literals as texts", () => {
    const all = readCase("a037_all_23_official_comparators.json") as JsonObject[];
    const filters = all.map((body) => readRestForm(EventQuerySchema, body).message.eventView?.filts[0]);
    expect(new Set(filters.map((filter) => filter?.comparator)).size).toBe(23);
    expect(filters.map((filter) => filter?.comparator)).not.toContain(Comparator.UNSPECIFIED);
    const raw = all as { eventView: { filts: [{ ftv?: JsonValue[] }] } }[];
    const literals = raw.map(({ eventView }) => (eventView.filts[0].ftv ?? []).map(String));
    expect(filters.map((filter) => filter?.ftv)).toEqual(literals);
  });

  test.each(incomplete)("%s is read, and lacks what is required", (file, missing) => {
    const { message } = readRestForm(EventQuerySchema, readCase(file));
    expect(Object.fromEntries(Object.keys(missing).map((key) => [key, Reflect.get(message, key)]))).toEqual(
      missing,
    );
  });

  test.each(foreign)("%s is refused, naming field and value", (file, fault) => {
    expect(() => readRestForm(EventQuerySchema, readCase(file))).toThrow(fault);
  });
});

describe("why plain proto3 JSON does not do", () => {
  const metric = { type: "normal", eventName: "login", analysis: "TOTAL_TIMES" };
  const table: [why: string, schema: DescMessage, body: JsonValue, error: RegExp][] = [
    [
      "words are not names of enum values",
      EventQuerySchema,
      { events: [metric] },
      /enum engage.analysis.v1.MetricType/,
    ],
    ["literals may be numbers", EventQuerySchema, { eventView: { filts: [{ ftv: [10] }] } }, /ftv/],
    ["group values are texts", EventUserQuerySchema, { sliceGroupVal: ["Beijing"] }, /GroupValue/],
    ["unknown members are accepted", EventQuerySchema, { statType: "event" }, /statType/],
  ];
  test.each(table)("%s", (_why, schema, body, error) => {
    expect(() => fromJson(schema, body)).toThrow(error);
  });

  test("when unknown fields are ignored a word is silently lost, so that is no way out", () => {
    const body = { eventView: { relation: "or" }, events: [metric] };
    const query = fromJson(EventQuerySchema, body, { ignoreUnknownFields: true });
    expect([query.eventView?.relation, query.events[0]?.type]).toEqual([
      Relation.UNSPECIFIED,
      MetricType.UNSPECIFIED,
    ]);
  });

  test("a number in place of a word would be taken as one", () => {
    const query = fromJson(EventQuerySchema, { eventView: { relation: 1 } });
    expect(query.eventView?.relation).toBe(Relation.AND);
    expect(() => readRestForm(EventQuerySchema, { eventView: { relation: 1 } })).toThrow(
      "eventView.relation: 1",
    );
  });
});

describe("what the typed query holds", () => {
  const read = (file: string) => readRestForm(EventQuerySchema, readCase(file)).message;

  test("comparison, split, groups, filters, features and entities (a001)", () => {
    const query = read("a001_official_doc_sample.json");
    expect(query.eventView).toMatchObject({
      comparedByTime: true,
      comparedRecentDay: "8-14",
      recentDay: "1-7",
      relation: Relation.AND,
      timeParticleSize: TimeParticleSize.DAY,
      eventSplit: {
        event: { eventName: "login" },
        groupByProp: { columnName: "browser", tableType: TableType.EVENT },
      },
      groupBy: [{ columnName: "brand", specifiedClusterDate: "2021-12-28" }],
      filts: [{ comparator: Comparator.EQUAL, filterType: FilterType.SIMPLE, ftv: ["苹果", "小米"] }],
      queryFeature: { approximateOn: true, globalQueryOn: false },
    });
    expect(query.events).toMatchObject([
      { analysis: Aggregation.TOTAL_TIMES, eventSplitIndexes: [0], eventUuid: "7FonAy-G" },
      {
        analysis: Aggregation.TRIG_USER_NUM,
        quotaEntities: [{ index: 0, taIdMeasure: { columnName: "#user_id" } }],
      },
    ]);
    expect([query.useCache, query.limit, query.timeoutSeconds, query.zoneOffset]).toEqual(
      Array(4).fill(undefined),
    );
  });

  test("a group of filters keeps its own relation (a044)", () => {
    expect(read("a044_compound_filter.json").eventView).toMatchObject({
      relation: Relation.OR,
      filts: [
        {
          filterType: FilterType.COMPOUND,
          relation: Relation.AND,
          filts: [{ ftv: ["品牌甲"] }, { ftv: ["地区甲"] }],
        },
        { filterType: FilterType.SIMPLE, comparator: Comparator.GREATER, ftv: ["30"] },
      ],
    });
  });

  test("a formula with its operands' filters and entities (a038)", () => {
    expect(read("a038_per_capita_formula_login.json").events).toMatchObject([
      {
        type: MetricType.CUSTOMIZED,
        customEvent: "login.PER_CAPITA_TIMES",
        customFilters: [{ index: 0, relation: Relation.AND }],
        quotaEntities: [{ index: 0, taIdMeasure: { columnName: "#account_id", tableType: TableType.EVENT } }],
      },
    ]);
  });

  test("an empty event split differs from none (a033, a046)", () => {
    expect(read("a033_date_only_and_empty_eventsplit.json").eventView?.eventSplit).toBeDefined();
    expect(read("a046_percentile.json").eventView?.eventSplit).toBeUndefined();
  });

  test("time windows of operands and an offset with a half hour", () => {
    const quotaTimeRanges = [{ index: 1, type: "TIME_RANGE", params: ["-3", 4] }];
    const { message } = readRestForm(EventQuerySchema, { zoneOffset: 5.5, events: [{ quotaTimeRanges }] });
    expect(message).toMatchObject({
      zoneOffset: 5.5,
      events: [{ quotaTimeRanges: [{ params: ["-3", "4"] }] }],
    });
  });

  test("the slice of a user query (u001, u003, d002)", () => {
    const slices = ["u001_user_list_template.json", "u003_user_list_ungrouped_overall.json"].map((file) => {
      const { message } = readRestForm(EventUserQuerySchema, readCase(file));
      return [message.sliceDate, message.eventIndex, message.sliceGroupVal.map((group) => group.value.value)];
    });
    expect(slices).toEqual([
      ["2021-12-27", 0, ["Beijing"]],
      ["2021-12-27", 0, ["总体"]],
    ]);
    const download = readRestForm(
      EventUserDownloadQuerySchema,
      readCase("d002_stream_user_list_selected_columns.json"),
    );
    expect(download.message.selectedColumns).toHaveLength(5);
  });
});
