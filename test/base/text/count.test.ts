import { describe, expect, it } from "vitest";
import { countOf, exactCountOf, nounFor } from "../../../base/text/count.ts";

describe("counts", () => {
  it.each<[number | bigint, string, string]>([
    [0, "batch", "0 batches"],
    [1, "batch", "1 batch"],
    [2, "batch", "2 batches"],
    [1n, "query", "1 query"],
    [2n, "query", "2 queries"],
    [2, "day", "2 days"],
    [1_000, "retry", "1,000 retries"],
    [3, "address", "3 addresses"],
    [1_234_567, "record", "1,234,567 records"],
  ])("%s %s", (number, noun, text) => {
    expect(countOf(number, noun)).toBe(text);
  });

  it("may have a plural of their own, or no commas", () => {
    expect(countOf(2, "index", "indices")).toBe("2 indices");
    expect(exactCountOf(1_000, "byte")).toBe("1000 bytes");
    expect([nounFor(1, "line"), nounFor(0, "line")]).toEqual(["line", "lines"]);
  });
});
