import { create } from "@bufbuild/protobuf";
import { NullValue } from "@bufbuild/protobuf/wkt";
import { type GroupValue, GroupValueSchema } from "../../../../gen/engage/analysis/v1/result_pb.ts";
import { nullLabel } from "../../text-form.ts";

/** Decodes one group column, which is a scalar. */
export function decodeGroup(value: unknown): GroupValue {
  const isNull = value === null || value === undefined || value === nullLabel;
  return create(GroupValueSchema, {
    value: isNull
      ? { case: "nullValue", value: NullValue.NULL_VALUE }
      : { case: "label", value: String(value) },
  });
}

/**
 * Decodes the columns of one group. Returns undefined if their number differs from the number of group-by properties of
 * the query.
 * @param overallLabels the values of the columns if there are no such properties
 */
export function groupsOf(
  columns: unknown,
  count: number,
  overallLabels: readonly string[],
): GroupValue[] | undefined {
  const list: readonly unknown[] = Array.isArray(columns) ? columns : columns == null ? [] : [columns];
  if (list.some((value) => typeof value === "object" && value !== null)) return undefined;
  if (count === 0) {
    const isOverall = list.every((value) => value == null || overallLabels.includes(String(value)));
    return isOverall ? [] : undefined;
  }
  return list.length === count ? list.map(decodeGroup) : undefined;
}
