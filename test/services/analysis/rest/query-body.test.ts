import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  EventDownloadQuerySchema,
  EventQuerySchema,
  EventUserDownloadQuerySchema,
  EventUserQuerySchema,
} from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { readCase } from "../../../proto/cases.ts";
import { readRestForm } from "../../../proto/rest_form.ts";
import { minimal, users } from "./bodies.ts";
import { readBody } from "./read-body.ts";

const accepted: [file: string, schema: DescMessage][] = [
  ...[
    "a001_official_doc_sample.json",
    "a002_skill_template_limit_timeout.json",
    "a003_skill_task_zone8_nogroup.json",
    "a006_openapi_example_equal_cn.json",
    "a007_streamlit_minimal_events_projectId.json",
    "a008_quota_entities_trig_user.json",
    "a011_recentday_1_1.json",
    "a012_recentday_w0.json",
    "a013_recentday_w1.json",
    "a014_recentday_m0.json",
    "a015_recentday_m1.json",
    "a016_recentday_0_7.json",
    "a017_recentday_1_30.json",
    "a018_recentday_5_19.json",
    "a020_pet_synthesis_list_group.json",
    "a022_resource_get_object_subprops.json",
    "a024_death_drop.json",
    "a030_unknown_dimensions_filter.json",
    "a035_mcp_mapped_recentday_group.json",
    "a038_per_capita_formula_login.json",
    "a042_dungeon_dimension_and_max.json",
    "a044_compound_filter.json",
    "a046_percentile.json",
    "a049_any_event.json",
  ].map((file): [string, DescMessage] => [file, EventQuerySchema]),
  ["u001_user_list_template.json", EventUserQuerySchema],
  ["d001_stream_event_analyze.json", EventDownloadQuerySchema],
  ["d002_stream_user_list_selected_columns.json", EventUserDownloadQuerySchema],
];

const words = {
  comparator:
    '"equal", "notEqual", "include", "notInclude", "less", "greater", "range", "isNull", "notNull", "isTrue", "isFalse",',
};

const refusedCases: [file: string, parts: string[]][] = [
  [
    "a028_guessed_comparators.json",
    [
      `eventView.filts[0].comparator: "greaterThan" is unknown, valid are ${words.comparator}`,
      'eventView.filts[1].comparator: "lessThan" is unknown',
    ],
  ],
  ["a031_legacy_timetype_free.json", ["eventView: is required"]],
  [
    "a032_wrong_body_mock.json",
    [
      'events[0].analysis: "COUNT" is unknown, valid are "TOTAL_TIMES", "TRIG_USER_NUM",',
      "projectId: is required; eventView: is required",
    ],
  ],
  ["a033_date_only_and_empty_eventsplit.json", ["projectId: is required"]],
  ["a034_mcp_readme_empty_events.json", ["eventView: is required"]],
  [
    "a045_internal_qp_not_open_api.json",
    [
      'events[0].analysis: "A100" is unknown',
      'events[0].relation: 1 is unknown, valid are "and", "or"',
      'events[0].type: 0 is unknown, valid are "normal", "customized"',
      'eventView.timeParticleSize: "T1" is unknown, valid are "minute",',
      'eventView.groupBy[0].tableType: "0" is unknown, valid are "event", "user", "cluster", "user_cluster"',
      "eventView.relation: 1 is unknown",
    ],
  ],
];

describe("bodies that were seen", () => {
  test.each(accepted)("%s is read as the contract describes it", (file, schema) => {
    const body = readCase(file);
    const { query, refused } = readBody(schema, body);
    const { message, unknown } = readRestForm(schema, body);
    expect(refused).toBeUndefined();
    expect(query).toEqual({ ...message, ignoredFields: unknown });
  });

  test("a037 is read for each comparator", () => {
    const all = readCase("a037_all_23_official_comparators.json") as JsonObject[];
    const read = all.map((body) => readBody(EventQuerySchema, body));
    expect(read.map(({ refused }) => refused)).toEqual(Array(23).fill(undefined));
    expect(read.map(({ query }) => query)).toEqual(
      all.map((body) => readRestForm(EventQuerySchema, body).message),
    );
  });

  test.each(refusedCases)("%s is refused", (file, parts) => {
    const { refused } = readBody(EventQuerySchema, readCase(file));
    expect(parts.filter((part) => !refused?.includes(part))).toEqual([]);
  });

  test.each([[["Overall"]], [["总体"]], [[]]])("u003 with %j means the one group", (sliceGroupVal) => {
    const body = { ...(readCase("u003_user_list_ungrouped_overall.json") as JsonObject), sliceGroupVal };
    const { query, refused } = readBody(EventUserQuerySchema, body);
    expect([query.sliceGroupVal, refused]).toEqual([[], undefined]);
  });
});

describe("hostile bodies", () => {
  const deepFilter = (depth: number) => '{"filts":['.repeat(depth) + "]}".repeat(depth);
  const refusals: [what: string, body: string, message: string | undefined][] = [
    [
      "no JSON",
      "{",
      'body: not JSON: expected a key or "}", found the end of the text at line 1, column 2 (byte 1)',
    ],
    ["nothing", "", "body: is empty, valid is JSON such as {}"],
    ["a list", "[]", "body: a list is not an object"],
    ["null", "null", "projectId: is required; eventView: is required; events: is required"],
    ["a text", '"a"', 'body: "a" is not an object'],
    [
      "an unknown prototype",
      '{"__proto__":{"projectId":1}}',
      "projectId: is required; eventView: is required; events: is required",
    ],
    [
      "numbers out of bounds",
      '{"projectId":1e400,"eventView":{"filts":[{"ftv":[1e400]}]},"events":[],"limit":1e10,"zoneOffset":1e999}',
      "projectId: 1e400 is not the id of a project, which is a whole number from 1 on; eventView.filts[0].ftv[0]: 1e400 is beyond the largest number; limit: 10000000000 is not a whole number from 1 to 10000; zoneOffset: 1e999 is not a number of hours from -12 to 14",
    ],
    [
      "wrong types",
      '{"projectId":[],"eventView":[],"events":{},"useCache":"true","limit":1.5}',
      'projectId: a list is not the id of a project, which is a whole number from 1 on; eventView: a list is not an object; events: an object is not a list; useCache: "true" is not true or false; limit: 1.5 is not a whole number from 1 to 10000',
    ],
    [
      "wrong elements",
      '{"projectId":1,"eventView":{"groupBy":["#channel",null]},"events":[1]}',
      'eventView.groupBy[0]: "#channel" is not an object; eventView.groupBy[1]: null is not an object; events[0]: 1 is not an object',
    ],
    [
      "the last of two equal members counts",
      '{"projectId":"x","projectId":1,"eventView":{},"events":[]}',
      undefined,
    ],
    [
      "filters without end",
      `{"projectId":1,"events":[],"eventView":{"filts":[${deepFilter(200)}]}}`,
      `eventView.filts[0]${".filts[0]".repeat(98)}: is nested deeper than 100 levels`,
    ],
    [
      "an unknown member of any depth",
      `{"projectId":1,"events":[],"eventView":{},"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      'body: the JSON is nested deeper than 256 levels (limit "depth") at byte 301',
    ],
    [
      "a short one of any depth, with a number that is looked at twice",
      `{"projectId":1,"events":[],"eventView":{},"x":${"[".repeat(2_000)}12345678901234567890${"]".repeat(2_000)}}`,
      undefined,
    ],
    [
      "a long number and millions of lists",
      `{"a":1234567890123456,"b":[${"[],".repeat(100_000)}[]]}`,
      'body: an array has more than 100000 elements (limit "elements") at byte 300026',
    ],
    [
      "more literals than all conditions may have",
      `{"projectId":1,"filts":[${Array.from({ length: 150 }, () => `{"ftv":[${"0,".repeat(2_999)}0]}`)}]}`,
      'body: the JSON holds more than 150000 values (limit "values") at byte 300316',
    ],
    [
      "a million unknown members",
      `{${Array.from({ length: 10_001 }, (_, i) => `"k${i}":0`).join(",")}}`,
      'body: an object has more than 10000 members (limit "members") at byte 98892',
    ],
  ];
  test.each(refusals)("%s", (_what, body, message) => {
    expect(readBody(EventQuerySchema, body).refused).toBe(message);
  });

  test("objects keep their prototype", () => {
    const { query } = readBody(EventQuerySchema, '{"__proto__":{"limit":5},"constructor":1}');
    expect(query.ignoredFields).toEqual(["__proto__", "constructor"]);
    expect(query.limit).toBeUndefined();
  });

  test("at most 20 violations are reported, and long values are cut", () => {
    const events = Array.from({ length: 100 }, () => ({ type: "x".repeat(500) }));
    const { origin } = readBody(EventQuerySchema, { ...minimal, events });
    const violations = origin.refusal?.violations ?? [];
    expect(violations).toHaveLength(20);
    expect(violations[0]?.description).toMatch(/^"x{100}…" \(500 characters\) is unknown, valid are "/);
  });

  test("what a user query needs besides", () => {
    expect(readBody(EventUserQuerySchema, minimal).refused).toBe(
      "sliceGroupVal: is required; eventIndex: is required",
    );
    expect(readBody(EventUserDownloadQuerySchema, users).refused).toBe("selectedColumns: is required");
  });

  test("no JSON value makes it throw", () => {
    const key = fc.constantFrom("projectId", "eventView", "events", "filts", "ftv", "groupBy", "type", "x");
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(key, tie("value"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, (body) => {
        const { origin } = readBody(EventUserDownloadQuerySchema, JSON.stringify(body));
        expect(origin.body).toBeDefined();
      }),
    );
  });
});
