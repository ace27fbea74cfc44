import { describe, expect, test } from "vitest";
import { guessMapping, type Mapping } from "../../../../console/src/pages/events/import/mapping.ts";
import { misfitOf, recordOf } from "../../../../console/src/pages/events/import/record.ts";
import { sample } from "./sample.ts";

test.each([
  [
    { index: 2, name: "what", type: "number" },
    { index: 2, value: "x y" },
  ],
  [
    { index: 3, name: "what", type: "boolean" },
    { index: 3, value: "buy" },
  ],
  [
    { index: 5, name: "what", type: "time" },
    { index: 5, value: "12.50" },
  ],
  [{ index: 4, name: "what", type: "time" }, undefined],
  [{ index: 2, name: "", type: "number" }, undefined],
  [{ index: 2, name: "what", type: "text" }, undefined],
] as const)("of the property %j does not fit %j", (property, misfit) =>
  expect(misfitOf(sample, { ...guessMapping(sample), properties: [property] })).toEqual(misfit),
);

describe("recordOf", () => {
  const mapping: Mapping = {
    event: { kind: "column", index: 0 },
    user: { kind: "column", index: 1 },
    time: 2,
    order: "monthFirst",
    mark: "point",
    properties: [
      { index: 3, name: "n", type: "number" },
      { index: 4, name: "b", type: "boolean" },
      { index: 5, name: "t", type: "text" },
      { index: 6, name: "", type: "text" },
    ],
  };
  test.each([
    [
      ["buy", "ann", "2026-01-31", "12345678901234567890", "TRUE", ' "x" ', "no"],
      String.raw`{"n":12345678901234567890,"b":true,"t":" \"x\" "}`,
    ],
    [["buy", "ann", "2026-01-31", "many", "perhaps", ""], '{"n":"many","b":"perhaps"}'],
    [["buy", "ann", "1767225600"], '{"#zone_offset":0}'],
  ])("%j", (row, properties) => {
    const { line } = recordOf(row, mapping, "f-1");
    expect(line).toContain(`"#uuid":"f-1","properties":${properties}}`);
    expect(line).toContain('{"#type":"track","#event_name":"buy","#account_id":"ann","#time":"2026-01-');
  });
  test.each([
    [["", "ann", "2026-01-31"], "noEvent", ""],
    [["buy", " ", "2026-01-31"], "noUser", ""],
    [["buy", "ann", "soon"], "noTime", "soon"],
    [["buy", "ann"], "noTime", ""],
  ])("%j makes no record: %s", (row, fault, value) =>
    expect(recordOf(row, mapping, "1")).toEqual({ fault, value }),
  );
});
