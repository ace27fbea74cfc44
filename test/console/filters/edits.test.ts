import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { readJsonTree } from "../../../console/src/controls/json-tree.ts";
import { cohortDays } from "../../../console/src/filters/column-names.ts";
import { openFilters, withValidComparator } from "../../../console/src/filters/edits.ts";
import type { ColumnType } from "../../../console/src/filters/rules.ts";
import { writeTree } from "../../../console/src/filters/tree.ts";
import { ClusterKind, ClusterSchema } from "../../../gen/engage/analysis/v1/cluster_pb.ts";

test.each<[string, ColumnType | undefined, string]>([
  ['{"comparator":"less","ftv":["5"]}', "number", '{"comparator":"less","ftv":["5"]}'],
  ['{"comparator":"less","ftv":["5"]}', undefined, '{"comparator":"less","ftv":["5"]}'],
  ['{"comparator":"less","ftv":["5"]}', "text", '{"comparator":"equal","ftv":["5"]}'],
  ['{"comparator":"equal","ftv":["5"]}', "cohort", '{"comparator":"belongToCluster"}'],
  ['{"comparator":"relativeEventThatDay"}', "time", '{"comparator":"equal","ftv":[""]}'],
])("%s for a column of type %s becomes %s", (before, type, after) => {
  expect(writeTree(withValidComparator(readJsonTree(before)!, [], type, false))).toBe(after);
});

test("a filter is open while its column or one of its values is empty", () => {
  const tree = readJsonTree(
    `{"filts":[
      {"columnName":"","comparator":"isNull"},
      {"columnName":"a","comparator":"equal","ftv":["x",""]},
      {"filterType":"COMPOUND","filts":[{"columnName":"b","comparator":"range","ftv":["1",""]}]}
    ]}`,
  )!;
  expect(openFilters(tree, [])).toEqual(["filts[0].columnName", "filts[2].filts[0].ftv[1]"]);
});

test("the days of a cohort are those of its versions, the latest first", () => {
  const version = (name: string, day: string, kind: ClusterKind) =>
    create(ClusterSchema, { name, day, kind });
  const versions = [
    version("vip", "2026-01-01", ClusterKind.COHORT),
    version("vip", "2026-01-03", ClusterKind.COHORT),
    version("new", "2026-01-02", ClusterKind.COHORT),
    version("tier", "2026-01-04", ClusterKind.TAG),
  ];
  expect(["vip", "tier", "none"].map((name) => cohortDays(versions, name))).toEqual([
    ["2026-01-03", "2026-01-01"],
    [],
    [],
  ]);
});
