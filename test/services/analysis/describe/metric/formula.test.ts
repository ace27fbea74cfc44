import { expect, describe as group, it } from "vitest";
import { describe, projectOf } from "../described.ts";
import { formula, show } from "./metrics.ts";

group("formulas", () => {
  it.each([
    ["pay.price.SUM / pay.TRIG_USER_NUM", "(0.0|0 / 0.1)"],
    ["(pay.TOTAL_TIMES + 1) * 2", "((0.0 + 1) * 2)"],
    ["login.PER_CAPITA_TIMES", "(0.0 / 0.1)"],
    ["$metric.arpu * 100", "((0.0|0 / 0.1) * 100)"],
    ["1 + 2", "(1 + 2)"],
  ])("%s", (text, computation) => {
    const project = projectOf({ metrics: { arpu: { customEvent: "pay.price.SUM / pay.TRIG_USER_NUM" } } });
    expect(show(describe({ events: [formula(text)] }, project).metrics[0]!.computation)).toBe(computation);
  });

  it("narrow single operands", () => {
    const filts = [{ columnName: "brand", tableType: "event", comparator: "isNull", ftv: [] }];
    const events = [formula("pay.TOTAL_TIMES / pay.TOTAL_TIMES", { customFilters: [{ index: 1, filts }] })];
    const { measures } = describe({ events }).scans[0]!;
    expect(measures.map(({ where }) => where.kind)).toEqual(["always", "isNull"]);
  });

  it("hand on what they say of an operand that is a metric of the project", () => {
    const project = projectOf({ metrics: { dau: { eventName: "login", analysis: "TRIG_USER_NUM" } } });
    const more = {
      quotaTimeRanges: [{ index: 0, type: "RECENT_DAYS", params: ["3"] }],
      quotaEntities: [{ index: 0, taIdMeasure: { columnName: "#account_id", tableType: "user" } }],
    };
    const [scan] = describe({ events: [formula("$metric.dau", more)] }, project).scans;
    expect(scan!.window!.id).toBe("RECENT_DAYS(3)");
    expect(scan!.measures[0]!.aggregate).toMatchObject({ of: { name: "user_account_id" } });
  });
});
