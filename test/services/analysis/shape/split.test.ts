import { describe, expect, it } from "vitest";
import { analyze, entriesOf, labelOf } from "./answers.ts";
import { byBrand, group, metric } from "./plans.ts";

describe("a split", () => {
  const eventSplit = { event: { eventName: "pay" }, groupByProp: { columnName: "city", tableType: "user" } };
  const events = [
    metric("TOTAL_TIMES", "", { eventSplitIndexes: [0], eventNameDisplay: "支付" }),
    metric("TOTAL_TIMES"),
  ];
  const groups = ({ keys }: { readonly keys: readonly unknown[] }) =>
    keys.length === 2
      ? [
          group(["a", "X"], [1, 1]),
          group(["b", "Y"], [9, 9]),
          group(["b", null], [1, 1]),
          group(["b", "(null)"], [0, 1]),
        ]
      : [group(["a"], [1, 1]), group(["b"], [10, 10])];

  it("makes a result of each value, the largest first", async () => {
    const data = await analyze({ groups }, { view: { ...byBrand, eventSplit }, events });
    expect(
      data.y.map(({ resultKey, displayName, splitValue }) => [
        resultKey,
        displayName,
        splitValue && labelOf(splitValue),
      ]),
    ).toEqual([
      ["1_pay.TOTAL_TIMES(Y)", "支付(Y)", "Y"],
      ["1_pay.TOTAL_TIMES((null))", "支付((null))", null],
      ["1_pay.TOTAL_TIMES(X)", "支付(X)", "X"],
      ["1_pay.TOTAL_TIMES(\\(null))", "支付(\\(null))", "(null)"],
      ["2_pay.TOTAL_TIMES", "2_pay.TOTAL_TIMES", undefined],
    ]);
    expect(data.y.map(entriesOf)).toEqual([
      [[["b"], [9, 9]]],
      [[["b"], [1, 1]]],
      [[["a"], [1, 1]]],
      [[["b"], [0, 1]]],
      [
        [["b"], [10, 10]],
        [["a"], [1, 1]],
      ],
    ]);
  });

  it("of nothing makes no result", async () => {
    const ungrouped = await analyze({}, { view: { eventSplit }, events: [events[0]!] });
    expect(ungrouped.y).toEqual([]);
    expect(ungrouped.unionGroups.map(({ groupCols }) => groupCols)).toEqual([[]]);
    expect(ungrouped.unionGroupNum).toBe(1);
    const grouped = await analyze({}, { view: { ...byBrand, eventSplit }, events: [events[0]!] });
    expect([grouped.unionGroups, grouped.unionGroupNum]).toEqual([[], 0]);
  });

  it("tells a thousand values and how many more there are", async () => {
    const many = () => Array.from({ length: 1_003 }, (_, i) => group([`v${i}`], [i, i]));
    const data = await analyze({ groups: many }, { view: { eventSplit }, events: [events[0]!] });
    expect([data.y.length, data.info!.truncated]).toEqual([1_000, true]);
    expect(data.info!.warnings.map(({ message }) => message)).toEqual([
      "only 1000 values of the split are returned for each metric, 3 are omitted",
    ]);
  });
});
