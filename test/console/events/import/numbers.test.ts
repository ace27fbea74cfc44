import { describe, expect, test } from "vitest";
import { readsNumbers } from "../../../../console/src/pages/events/import/command.ts";
import { guessMapping } from "../../../../console/src/pages/events/import/mapping.ts";
import { guessMark, readNumber } from "../../../../console/src/pages/events/import/numbers.ts";
import { recordOf } from "../../../../console/src/pages/events/import/record.ts";
import { sample } from "./sample.ts";

describe("numbers as people write them", () => {
  test.each([
    ["$4,879.50", "4879.50", undefined],
    ["-$4.5", "-4.5", undefined],
    ["$-4", "-4", "-4"],
    ["1,234,567.89", "1234567.89", undefined],
    ["1 234 567", "1234567", "1234567"],
    ["12,345,678,901,234,567,890", "12345678901234567890", undefined],
    ["1.234,50 €", undefined, "1234.50"],
    ["99,90", undefined, "99.90"],
    ["1,234", "1234", "1.234"],
    ["1e3", "1e3", undefined],
    ["12,34,567", undefined, undefined],
    ["1,234 567", undefined, undefined],
    ["-$-4", undefined, undefined],
    ["007", undefined, undefined],
    ["06.10.2026", undefined, undefined],
    ["$", undefined, undefined],
  ])("%s is %s with a point and %s with a comma", (text, point, comma) => {
    expect(readNumber(text, "point")).toBe(point);
    expect(readNumber(text, "comma")).toBe(comma);
  });

  test("the mark is that with which most columns are numbers", () => {
    expect(guessMark([["99,90", "1.234,50"], ["x"]])).toBe("comma");
    expect(guessMark([["99,90"], ["1.50"]])).toBe("point");
    expect(guessMark([["1,234"]])).toBe("point");
    expect(guessMark([[]])).toBe("point");
  });

  test("become numbers of records, which the command does not read", () => {
    const table = { fileName: "t.csv", header: ["Datum", "Betrag"], rows: [["06.10.2026", "1.234,50"]] };
    const mapping = guessMapping(table);
    expect(recordOf(table.rows[0]!, mapping, "1").line).toContain('"properties":{"Betrag":1234.50}');
    expect(readsNumbers(table, mapping)).toBe(false);
    expect(readsNumbers(sample, guessMapping(sample))).toBe(true);
  });
});
