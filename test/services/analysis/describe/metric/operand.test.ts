import { expect, describe as group, it } from "vitest";
import { describe } from "../described.ts";
import { normal, show } from "./metrics.ts";

group("aggregations", () => {
  it.each([
    ["TOTAL_TIMES", "", ["count"], "0.0"],
    ["TRIG_USER_NUM", "", ["distinct"], "0.0"],
    ["PER_CAPITA_TIMES", "", ["count", "distinct"], "(0.0 / 0.1)"],
    ["SUM", "price", ["sum"], "0.0|0"],
    ["AVG", "price", ["sum", "values"], "(0.0|0 / 0.1)"],
    ["PER_CAPITA_NUM", "price", ["sum", "distinct"], "(0.0|0 / 0.1)"],
    ["MAX", "price", ["max"], "0.0"],
    ["MIN", "price", ["min"], "0.0"],
    ["DISTINCT", "brand", ["distinct"], "0.0"],
    ["TRUE", "paid", ["count"], "0.0"],
    ["FALSE", "paid", ["count"], "0.0"],
    ["IS_NOT_EMPTY", "tags", ["values"], "0.0"],
    ["IS_EMPTY", "tags", ["count"], "0.0"],
    ["ARRAY_DISTINCT", "tags", ["distinct"], "0.0"],
    ["ARRAY_SET_DISTINCT", "tags", ["distinct"], "0.0"],
    ["ARRAY_ITEM_DISTINCT", "tags", ["distinct"], "0.0"],
    ["MEDIAN", "price", ["quantile"], "0.0"],
  ])("%s of %j", (analysis, quota, aggregates, computation) => {
    const plan = describe({ events: [normal(analysis, quota)] });
    expect(plan.scans.map(({ measures }) => measures.map(({ aggregate }) => aggregate.kind))).toEqual([
      aggregates,
    ]);
    expect(show(plan.metrics[0]!.computation)).toBe(computation);
  });

  it.each([
    ["95", 0.95],
    ["1", 0.01],
    ["99.5", 0.995],
  ])("PERCENTILE of %s", (analysisParams, fraction) => {
    const plan = describe({ events: [normal("PERCENTILE", "price", { analysisParams })] });
    expect(plan.scans[0]!.measures[0]!.aggregate).toMatchObject({ kind: "quantile", fraction });
  });

  it("count the values of the entity instead of users", () => {
    const quotaEntities = [{ index: 0, taIdMeasure: { columnName: "#account_id", tableType: "event" } }];
    const plan = describe({ events: [normal("TRIG_USER_NUM", "", { quotaEntities })] });
    expect(plan.scans[0]!.measures[0]!.aggregate).toMatchObject({
      of: { kind: "builtin", name: "account_id" },
    });
  });

  it("take a property of the user where no event has it", () => {
    const plan = describe({ events: [normal("MAX", "level")] });
    expect(plan.scans[0]!.measures[0]!.aggregate).toMatchObject({ of: { property: { table: "user" } } });
  });
});
