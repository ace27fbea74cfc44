import { type DescEnum, getOption } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  PropertyRangeTypeSchema,
  SubTableTypeSchema,
  TableTypeSchema,
} from "../../gen/engage/analysis/v1/column_pb.ts";
import {
  AggregationSchema,
  MetricTypeSchema,
  QuotaTimeRangeTypeSchema,
  ValueFormatSchema,
} from "../../gen/engage/analysis/v1/event_metric_pb.ts";
import { TimeParticleSizeSchema } from "../../gen/engage/analysis/v1/event_view_pb.ts";
import {
  ComparatorSchema,
  FilterTypeSchema,
  RelationSchema,
  TimeUnitSchema,
} from "../../gen/engage/analysis/v1/filter_pb.ts";
import { json_word } from "../../gen/engage/gateway/v1/options_pb.ts";

/** The closed vocabularies of the REST form. */
const vocabularies: [schema: DescEnum, words: string][] = [
  [RelationSchema, "and or"],
  [FilterTypeSchema, "SIMPLE COMPOUND"],
  [TimeUnitSchema, "day hour minute"],
  [TableTypeSchema, "event user cluster user_cluster"],
  [
    SubTableTypeSchema,
    "cluster_by_import cluster_by_result cluster_by_static_condition tag_by_dynamic_condition vprop_dict",
  ],
  [PropertyRangeTypeSchema, "discrete def custom"],
  [TimeParticleSizeSchema, "minute minute5 minute10 hour day week month quarter year total"],
  [MetricTypeSchema, "normal customized"],
  [ValueFormatSchema, "float float3 float4 percent integer"],
  [QuotaTimeRangeTypeSchema, "LAST_DAYS RECENT_DAYS THIS_WEEK THIS_MONTH TIME_RANGE"],
  [
    AggregationSchema,
    "TOTAL_TIMES TRIG_USER_NUM PER_CAPITA_TIMES SUM AVG PER_CAPITA_NUM MAX MIN DISTINCT TRUE FALSE IS_NOT_EMPTY " +
      "IS_EMPTY ARRAY_DISTINCT ARRAY_SET_DISTINCT ARRAY_ITEM_DISTINCT MEDIAN PERCENTILE",
  ],
  [
    ComparatorSchema,
    "equal notEqual include notInclude less greater range isNull notNull isTrue isFalse regexMatch notRegexMatch " +
      "relativeCurrentBetween relativeCurrentBefore relativeEventBefore relativeEventAfter relativeEventAbsolute " +
      "relativeEventThatDay arrayIncludeItem arrayNotIncludeItem arrayItemPos arrayIsNull arrayNotNull " +
      "belongToCluster notBelongToCluster",
  ],
];

describe("words of the REST form", () => {
  test.each(vocabularies)("%s has exactly its words, UNSPECIFIED none", (schema, words) => {
    expect(schema.values.map((value) => getOption(value, json_word))).toEqual(["", ...words.split(" ")]);
  });

  test.each(vocabularies)("%s names each value by its word", (schema) => {
    const flat = (text: string) => text.replaceAll("_", "").toLowerCase();
    const named = schema.values.slice(1).map((value) => flat(value.localName));
    expect(named).toEqual(schema.values.slice(1).map((value) => flat(getOption(value, json_word))));
  });
});
