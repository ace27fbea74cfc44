import { expect, describe as group, it } from "vitest";
import { describe } from "../described.ts";
import { normal } from "./metrics.ts";

const aggregatesOf = (...events: object[]) =>
  describe({ events }).scans.map(({ measures }) => measures.map(({ aggregate }) => aggregate.kind));

group("measures", () => {
  it("of all metrics share one scan, equal ones are computed once", () => {
    expect(
      aggregatesOf(
        normal("SUM", "price"),
        normal("AVG", "price"),
        normal("PER_CAPITA_NUM", "price"),
        normal("SUM", "price"),
      ),
    ).toEqual([["sum", "values", "distinct"]]);
  });

  it("of split metrics share another", () => {
    const eventSplit = {
      event: { eventName: "pay" },
      groupByProp: { columnName: "brand", tableType: "event" },
    };
    const events = [
      normal("TOTAL_TIMES", "", { eventSplitIndexes: [0] }),
      normal("TOTAL_TIMES"),
      normal("TRIG_USER_NUM", "", { eventSplitIndexes: [0] }),
    ];
    const { scans, metrics } = describe({ view: { eventSplit }, events });
    expect(scans.map(({ isSplit, measures }) => [isSplit, measures.length])).toEqual([
      [true, 2],
      [false, 1],
    ]);
    expect(metrics.map(({ isSplit }) => isSplit)).toEqual([true, false, true]);
  });

  it("of a window of days have a scan for each kind of window", () => {
    const window = (type: string, ...params: unknown[]) => ({
      quotaTimeRanges: [{ index: 0, type, params }],
    });
    const { scans } = describe({
      events: [
        normal("TOTAL_TIMES", "", window("LAST_DAYS", 7)),
        normal("TRIG_USER_NUM", "", window("LAST_DAYS", "7")),
        normal("TOTAL_TIMES", "", window("THIS_WEEK")),
        normal("TOTAL_TIMES"),
      ],
    });
    expect(scans.map(({ window: own, measures }) => [own?.id, measures.length])).toEqual([
      ["LAST_DAYS(7)", 2],
      ["THIS_WEEK()", 1],
      [undefined, 1],
    ]);
  });

  it("of nothing known match no event, of anyEvent all", () => {
    const { scans } = describe({
      events: [
        { ...normal("TOTAL_TIMES"), eventName: "nobody_sent_it" },
        { ...normal("TOTAL_TIMES"), eventName: "anyEvent" },
        normal("TOTAL_TIMES"),
      ],
    });
    expect(scans[0]!.measures.map(({ events }) => events)).toEqual([[], undefined, [2]]);
  });
});

group("groups", () => {
  const view = { groupBy: [{ columnName: "brand", tableType: "event" }] };
  const presenceOf = (...events: object[]) => {
    const { scans, metrics } = describe({ view, events });
    return metrics.map(({ presence }) =>
      presence.map(({ scan, measure }) =>
        measure === undefined ? "any" : scans[scan]!.measures[measure]!.aggregate.kind,
      ),
    );
  };

  it("are all of a scan when it looks at the same events", () => {
    expect(presenceOf(normal("SUM", "price"), normal("AVG", "price"))).toEqual([["any"], ["any"]]);
  });

  it("are distinguished by a count, or by users where they are counted anyway", () => {
    expect(presenceOf(normal("SUM", "price"), { ...normal("TRIG_USER_NUM"), eventName: "login" })).toEqual([
      ["count"],
      ["distinct"],
    ]);
  });

  it("count events for which nothing holds", () => {
    expect(presenceOf(normal("TRUE", "paid"))).toEqual([["count"]]);
    expect(describe({ view, events: [normal("TRUE", "paid")] }).scans[0]!.measures).toHaveLength(2);
  });
});
