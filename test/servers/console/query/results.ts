import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { accessibilityFaults } from "../browser.ts";
import { analyze, dayBefore } from "../events.ts";
import { numbersIn, type QueryPage, query } from "./page.ts";

export function testResults({ inPage, linkOf, numbersOf, served }: QueryPage): void {
  describe("the users behind a number", () => {
    const point = { sliceDate: dayBefore(5), sliceGroupVal: [], eventIndex: 0 };

    test("are listed by keyboard, and saved as a file without formulas", async () => {
      const { datalist } = (await analyze(
        served(),
        "event-user-list",
        JSON.stringify({ ...query(), ...point }),
      )) as { readonly datalist: readonly Readonly<Record<string, string | number>>[] };
      await inPage(linkOf(query(), { view: "table" }), async (page) => {
        await page.locator(".query-cell").first().focus();
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press("Enter");
        const card = page.locator(".query-users");
        await card.locator("tbody tr").first().waitFor();
        expect(await page.evaluate("document.activeElement.className")).toBe("query-users");
        expect(await card.locator("h2").textContent()).toContain(dayBefore(5));
        const shown = await card.locator("tbody th").allTextContents();
        expect(shown.toSorted()).toEqual(datalist.map((user) => String(user["#user_id"])).toSorted());
        expect(await accessibilityFaults(page)).toEqual([]);
        const [file] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Save all users as CSV" }).click(),
        ]);
        const rows = parse(readFileSync(await file.path()), { bom: true, columns: true }) as Readonly<
          Record<string, string>
        >[];
        expect(rows.map((row) => row["#account_id"]).toSorted()).toEqual(
          datalist.map((user) => user["#account_id"]).toSorted(),
        );
        expect(rows.find((row) => row["#account_id"] === "user-1")?.["note"]).toBe("'=1+1");
      });
    });

    test("are those of a point of the chart that is clicked", async () => {
      await inPage(linkOf(query()), async (page) => {
        await page.locator(".chart canvas").waitFor();
        const middle = await page.evaluate<{ x: number; y: number }>(
          '(({ width, height }) => ({ x: width / 2, y: height / 2 }))(document.querySelector(".u-over").getBoundingClientRect())',
        );
        await page.locator(".u-over").click({ position: middle });
        await page.locator(".query-users h2").waitFor();
        expect(await page.locator(".query-users h2").textContent()).toContain(dayBefore(3));
      });
    });

    test("of a group without a value, and of the whole range, are found too", async () => {
      const body = query({
        timeParticleSize: "total",
        groupBy: [{ columnName: "none", tableType: "event" }],
      });
      await inPage(linkOf(body, { view: "numbers" }), async (page) => {
        await page.locator(".query-number").first().click();
        await page.locator(".query-users tbody tr").first().waitFor();
        expect(await page.locator(".query-users h2").textContent()).toContain("(no value)");
      });
    });
  });

  test("the table is saved as CSV with exact numbers and without formulas", async () => {
    const body = query({ groupBy: [{ columnName: "city", tableType: "event" }] });
    await inPage(linkOf(body, { view: "table" }), async (page) => {
      await numbersIn(page);
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Save the table as CSV" }).click(),
      ]);
      expect(file.suggestedFilename()).toBe("query.csv");
      const [head, ...rows] = parse(readFileSync(await file.path()), { bom: true }) as readonly string[][];
      expect(head).toEqual(["Metric", "city", ...Array.from({ length: 7 }, (_, i) => dayBefore(6 - i))]);
      expect(rows.map((row) => row.slice(2))).toEqual(await numbersOf(body));
      expect(rows.map((row) => row[1])).toContain('\'=HYPERLINK("x")');
    });
  });

  test("groups beyond the limit are saved too", async () => {
    const body = { ...query({ groupBy: [{ columnName: "city", tableType: "event" }] }), limit: 1 };
    await inPage(linkOf(body, { view: "table" }), async (page) => {
      await page.getByText("1 of 3 groups").waitFor();
      expect(await numbersIn(page)).toHaveLength(1);
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Save all groups as CSV" }).click(),
      ]);
      const [, ...rows] = parse(readFileSync(await file.path()), { bom: true }) as readonly string[][];
      const { limit: _limit, ...all } = body;
      expect(rows.map((row) => row.slice(3))).toEqual(await numbersOf(all));
    });
  });
}
