import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  AnalyzeEventsRequestSchema,
  type AnalyzeEventsResponse,
  AnalyzeEventsResponseSchema,
  type ListEventUsersResponse,
  ListEventUsersResponseSchema,
} from "../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { ValueFormat } from "../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import type { GroupValueSchema } from "../../../../gen/engage/analysis/v1/result_pb.ts";
import { encodeParts } from "../../../../services/analysis/rest/encode-parts.ts";
import { formatFast } from "../../../../services/analysis/rest/fast-format.ts";
import { createAnalysisCodecs } from "../../../../services/analysis/rest/rest.ts";
import { writeAnalysis } from "../../../../services/analysis/rest/write-analysis.ts";
import { writeUsers } from "../../../../services/analysis/rest/write-users.ts";
import { formatValue } from "../../../../services/analysis/text-form.ts";
import { readCase } from "../../../proto/cases.ts";
import { casesOf } from "../../../thorough.ts";

const style = { percentAs: "percent" } as const;
const codecs = createAnalysisCodecs(style);
const request = create(AnalyzeEventsRequestSchema);
const label = (text: string) => ({ value: { case: "label" as const, value: text } });
const none = { value: { case: "nullValue" as const, value: 0 } };

type Analysis = MessageInitShape<typeof AnalyzeEventsResponseSchema>;

function analysis(data: NonNullable<Analysis["data"]>) {
  return create(AnalyzeEventsResponseSchema, { returnCode: 0, returnMessage: "success", data });
}

function written(answer: AnalyzeEventsResponse | ListEventUsersResponse): unknown {
  const isList = answer.$typeName === ListEventUsersResponseSchema.typeName;
  const parts = isList
    ? writeUsers(answer as ListEventUsersResponse)
    : writeAnalysis(answer as AnalyzeEventsResponse, style);
  return JSON.parse([...parts].join(""));
}

describe("the REST form of a result", () => {
  test("is that of r001", () => {
    const entry = (cols: MessageInitShape<typeof GroupValueSchema>, numbers: number[]) => ({
      groupCols: [cols],
      values: { numbers, missing: [] },
    });
    const data = {
      resultGenerateTime: timestampFromMs(Date.UTC(2026, 7, 25, 6, 5, 10)),
      x: [{ label: "2026-08-23" }, { label: "2026-08-24" }],
      unionGroups: [{ groupCols: [label("1.0")] }, { groupCols: [label("1.1")] }, { groupCols: [none] }],
      unionGroupNum: 3,
      y: [
        {
          resultKey: "install.TRIG_USER_NUM",
          groupNum: 3,
          entries: [
            entry(label("1.0"), [120, 98]),
            entry(label("1.1"), [7, Number.NaN]),
            entry(none, [0, 1]),
          ],
        },
      ],
      info: { zone: { zone: { case: "offsetHours" as const, value: 8 } } },
    };
    const expected = readCase("r001_event_analyze_grouped.json") as { data: object };
    expect(written(analysis(data))).toEqual({ ...expected, data: { ...expected.data, zone: 8 } });
  });

  test("the text (null) is not the label of the group without a value", () => {
    const labels = [none, label("(null)"), label("\\(null)")].map((one) => ({ groupCols: [one] }));
    expect(
      written(analysis({ unionGroups: labels, y: [{ resultKey: "a", entries: labels }] })),
    ).toMatchObject({
      data: {
        union_groups: [["(null)"], ["\\(null)"], ["\\\\(null)"]],
        y: [
          {
            a: [{ group_cols: ["(null)"] }, { group_cols: ["\\(null)"] }, { group_cols: ["\\\\(null)"] }],
          },
        ],
      },
    });
  });

  test("without groups, compared, with equal keys and all warnings", () => {
    const range = { startTime: "2026-08-23 00:00:00", endTime: "2026-08-24 23:59:59" };
    const metric = (numbers: number[], format: ValueFormat) => ({
      resultKey: "a",
      format,
      groupNum: 1,
      entries: [{ groupCols: [], values: { numbers }, valuesCompared: { numbers: [1] } }],
    });
    const data = {
      resultGenerateTime: timestampFromMs(Date.UTC(2026, 2, 29, 0, 30)),
      x: [{ label: "d1" }, { label: "d2" }],
      xCompared: [{ label: "c1" }],
      unionGroups: [{ groupCols: [] }],
      unionGroupNum: 1,
      y: [metric([0.1234, Number.NaN], ValueFormat.PERCENT), metric([2, 1 / 3], ValueFormat.FLOAT3)],
      info: {
        range,
        comparedRange: range,
        cached: true,
        approximate: true,
        truncated: true,
        zone: { zone: { case: "name" as const, value: "Europe/Berlin" } },
        warnings: [{ field: "x", message: 'x is unknown and "ignored"' }],
      },
    };
    const resolved = { start_time: range.startTime, end_time: range.endTime };
    const entry = { group_cols: ["Overall"], group_num: 1, values_compared: ["1"] };
    expect(written(analysis(data))).toEqual({
      return_code: 0,
      return_message: "success",
      data: {
        // An hour of summer that begins at 01:00 UTC is not yet there.
        result_generate_time: "2026-03-29 01:30:00",
        x: ["d1", "d2"],
        x_compared: ["c1"],
        union_groups: [["Overall"]],
        union_group_num: 1,
        y: [
          { a: [{ ...entry, values: ["12.34%", "-"], values_compared: ["100%"] }] },
          { a: [{ ...entry, values: ["2.000", "0.333"], values_compared: ["1.000"] }] },
        ],
        range: resolved,
        compared_range: resolved,
        zone: "Europe/Berlin",
        cached: true,
        approximate: true,
        truncated: true,
        warnings: ['x is unknown and "ignored"'],
      },
    });
  });

  test("an answer without data, and names that need escapes", () => {
    const answer = create(AnalyzeEventsResponseSchema, { returnMessage: 'a "b"' });
    expect(written(answer)).toEqual({ return_code: 0, return_message: 'a "b"', data: null });
    const odd = analysis({
      y: [{ resultKey: '__proto__"\n', entries: [{ groupCols: [label("\u2028\ud800")] }] }],
    });
    expect(written(odd)).toMatchObject({ data: { y: [{ '__proto__"\n': [{ values: [] }] }] } });
  });

  test("attached bytes are sent as they are", () => {
    const attachment = Buffer.from('{"return_code":0,"more":[1.0]}');
    const { encode } = codecs.get(AnalyzeEventsResponseSchema.typeName)!;
    expect(String(encode?.(analysis({}), { request, index: 0, attachment }))).toBe(
      '{"return_code":0,"more":[1.0]}',
    );
  });

  test("a large one is the same in turns", async () => {
    const numbers = Array.from({ length: 400 }, (_, i) => i / 7);
    const entries = Array.from({ length: 300 }, (_, i) => ({
      groupCols: [label(`ж${i}`)],
      values: { numbers },
    }));
    const answer = analysis({ y: [{ resultKey: "a", groupNum: 300, entries }] });
    const bytes = await encodeParts(writeAnalysis(answer, style), new AbortController().signal);
    expect(JSON.parse(Buffer.from(bytes).toString())).toEqual(written(answer));
  });

  test("writing ends when no caller waits any more", async () => {
    const endless = (function* () {
      for (;;) yield "x".repeat(100_000);
    })();
    await expect(encodeParts(endless, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  });

  test("numbers are written the fast way as the slow way does", () => {
    const decimals = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((n) => n / 1_000);
    const format = fc.constantFrom(0, 1, 2, 3, 4) as fc.Arbitrary<ValueFormat>;
    fc.assert(
      fc.property(fc.oneof(fc.double(), decimals, fc.integer()), format, (value, form) => {
        expect(formatFast(value, form, style)).toBe(formatValue(value, form, style));
      }),
      { numRuns: casesOf(2_000) },
    );
  });
});

test("the REST form of a user list", () => {
  const properties = {
    vip_level: 3,
    city: "Köln",
    tags: ["a", "b"],
    paid: true,
    none: null,
    address: { zip: "1" },
    "#user_id": "not this one",
  };
  const answer = create(ListEventUsersResponseSchema, {
    returnCode: 0,
    returnMessage: "success",
    data: {
      datalist: [
        { userId: "12", accountId: "a", distinctId: "d", properties },
        { userId: "9007199254740993" },
        { userId: "0012" },
      ],
      columMeta: { vip_level: "VIP level" },
      info: { truncated: true },
    },
  });
  expect(written(answer)).toEqual({
    return_code: 0,
    return_message: "success",
    data: {
      datalist: [
        {
          "#user_id": 12,
          "#account_id": "a",
          "#distinct_id": "d",
          vip_level: 3,
          city: "Köln",
          tags: '["a","b"]',
          paid: "true",
          address: '{"zip":"1"}',
        },
        { "#user_id": "9007199254740993", "#account_id": "", "#distinct_id": "" },
        { "#user_id": "0012", "#account_id": "", "#distinct_id": "" },
      ],
      columMeta: { vip_level: "VIP level" },
      truncated: true,
    },
  });
});
