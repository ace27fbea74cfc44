import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { guessMapping } from "../../../../console/src/pages/events/import/mapping.ts";
import { displayNamesOf, lostTitles } from "../../../../console/src/pages/events/import/titles.ts";

describe("titles that are no names", () => {
  const table = {
    fileName: "t.csv",
    header: ["时间", "金额", "Total amount", "税额\n", "", "amount"],
    rows: [["2026-01-31", "1", "2", "3", "4", "5"]],
  };
  const mapping = guessMapping(table);

  test("become names that can be read, which differ where titles sound alike", () => {
    expect(mapping.properties.map(({ name }) => name)).toEqual([
      "jin_e",
      "Total_amount",
      "shui_e",
      "column_5",
      "amount",
    ]);
    const alike = guessMapping({ ...table, header: ["时间", "金额", "今俄", "禁鹅", "a", "b"] });
    expect(alike.properties.slice(0, 3).map(({ name }) => name)).toEqual(["jin_e", "jin_e_2", "jin_e_3"]);
  });

  test("are kept as display names", () => {
    expect(lostTitles(table, mapping)).toEqual([
      ["jin_e", "金额"],
      ["shui_e", "税额\n"],
    ]);
    const { projects } = parse(displayNamesOf(table, mapping, 7n)) as { projects: readonly object[] };
    expect(projects).toEqual([{ id: 7, displayNames: { jin_e: "金额", shui_e: "税额\n" } }]);
  });
});
