import { expect, describe as group, it } from "vitest";
import { describe } from "../described.ts";
import { formula, normal } from "./metrics.ts";

group("result keys", () => {
  it.each([
    [[normal("TOTAL_TIMES")], {}, ["pay.TOTAL_TIMES"]],
    [[normal("SUM", "price")], {}, ["pay.price.SUM"]],
    [[formula("pay.TOTAL_TIMES")], {}, ["ratio"]],
    [[normal("TOTAL_TIMES"), normal("SUM", "price")], {}, ["pay.TOTAL_TIMES", "pay.price.SUM"]],
    [
      [normal("TOTAL_TIMES"), normal("SUM", "price"), normal("TOTAL_TIMES")],
      {},
      ["1_pay.TOTAL_TIMES", "pay.price.SUM", "2_pay.TOTAL_TIMES"],
    ],
    [
      [normal("TOTAL_TIMES"), normal("TOTAL_TIMES")],
      { useSameResultKey: true },
      ["pay.TOTAL_TIMES", "pay.TOTAL_TIMES"],
    ],
  ])("%j %j", (events, body, keys) => {
    expect(describe({ events, body }).metrics.map(({ resultKey }) => resultKey)).toEqual(keys);
  });
});
