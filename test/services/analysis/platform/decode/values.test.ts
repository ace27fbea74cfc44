import { describe, expect, test } from "vitest";
import { ValueFormat } from "../../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { decodeValue, valuesOf } from "../../../../../services/analysis/platform/decode/values.ts";

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
