import { describe, expect, test } from "vitest";
import { accessibilityFaults } from "../browser.ts";
import { dayBefore } from "../events.ts";
import { jsonOf, logins, metric, numbersIn, type QueryBody, type QueryPage, query } from "./page.ts";

export function testForm({ inPage, linkOf, served, showsNumbersOf }: QueryPage): void {
  describe("a query", () => {
    test("begins with the most frequent event, drawn as a chart", async () => {
      await inPage(`${served().url}/console/#/query`, async (page) => {
        await page.locator(".chart canvas").waitFor();
        expect(JSON.parse(await jsonOf(page))).toEqual({
          projectId: 1,
          eventView: { recentDay: "0-7", timeParticleSize: "day" },
          events: [logins],
        });
        await page.getByText("UTC+00:00").waitFor();
      });
    });

    test("has the numbers that every client gets, also in the table below its chart", async () => {
      await inPage(linkOf(query()), async (page) => {
        await page.locator(".chart canvas").waitFor();
        await page.getByText("Show as a table").click();
        await showsNumbersOf(page, query());
      });
    });

    test("is changed by its form, and its link shows the same to others", async () => {
      const start = linkOf(query(), { view: "table" });
      await inPage(start, async (page) => {
        await metric(page).getByLabel("Event", { exact: true }).fill("pay");
        await metric(page).getByLabel("Aggregation").selectOption("SUM");
        await page.getByText("Fill in the empty fields to run the query.").waitFor();
        await metric(page).getByLabel("Property", { exact: true }).fill("price");
        await page.getByRole("button", { name: "Group by a property" }).click();
        await page.locator("fieldset.item").last().getByLabel("Property", { exact: true }).fill("order");
        const body = query({ groupBy: [{ columnName: "order", tableType: "event" }] }, [
          { type: "normal", eventName: "pay", analysis: "SUM", quota: "price" },
        ]);
        await showsNumbersOf(page, body);
        expect(await numbersIn(page)).toHaveLength(4);
        expect(await page.locator(".query-grid tbody td").first().textContent()).toMatch(
          /^90071992547409\d\d$/,
        );
        await inPage(page.url(), async (other) => {
          await showsNumbersOf(other, body);
          const { events, eventView } = JSON.parse(await jsonOf(other)) as QueryBody;
          expect({ events, eventView }).toEqual({ events: body["events"], eventView: body.eventView });
        });
      });
    });

    test("that is long is compressed in its link; one of a damaged link is told", async () => {
      const ftv = Array.from({ length: 300 }, (_, i) => `9007199254740${993 + i}`);
      const filts = [{ columnName: "order", tableType: "event", comparator: "equal", ftv }];
      const body = query({ filts }, [{ type: "normal", eventName: "pay", analysis: "TOTAL_TIMES" }]);
      await inPage(linkOf(query(), { view: "table" }), async (page) => {
        await page.getByRole("tab", { name: "JSON" }).click();
        await page.getByLabel("Request", { exact: true }).fill(JSON.stringify(body));
        await showsNumbersOf(page, body);
        await expect.poll(() => page.url()).toContain("q=z");
        await inPage(page.url(), async (other) => {
          await showsNumbersOf(other, body);
        });
        await page.goto(page.url().replace(/q=z(.{100}).*$/, "q=z$1"));
        await page.getByText("The query in this link is damaged.").waitFor();
      });
    });

    test("is compared with other days, which stand above theirs", async () => {
      await inPage(linkOf(query(), { view: "table" }), async (page) => {
        await page.getByLabel("Compare with other days").click();
        const compared = { comparedStartTime: dayBefore(13), comparedEndTime: dayBefore(7) };
        await showsNumbersOf(page, query({ comparedByTime: true, ...compared }));
        const heads = await page.locator(".query-grid thead th").allTextContents();
        expect(heads.slice(1)).toEqual(
          Array.from({ length: 7 }, (_, i) => `${dayBefore(6 - i)}${dayBefore(13 - i)}`),
        );
        await page.getByText(`compared with ${dayBefore(13)} 00:00:00`).waitFor();
        await page.getByRole("tab", { name: "Bars" }).click();
        await page.locator(".chart canvas").waitFor();
        expect(await accessibilityFaults(page)).toEqual([]);
      });
    });

    test("is filtered by a value that the data suggests", async () => {
      await inPage(linkOf(query(), { view: "table" }), async (page) => {
        await metric(page).locator("button").first().click();
        const filter = metric(page).locator("fieldset.item");
        await filter.getByLabel("Property", { exact: true }).fill("city");
        const value = filter.getByLabel("Value", { exact: true });
        await value.focus();
        await filter.locator('datalist option[value="Berlin"]').waitFor({ state: "attached" });
        expect(await filter.getByLabel("Condition").locator('option[value="less"]').count()).toBe(0);
        await value.fill("Berlin");
        const filts = [{ columnName: "city", tableType: "event", comparator: "equal", ftv: ["Berlin"] }];
        await showsNumbersOf(page, query({}, [{ ...logins, filts }]));
      });
    });

    test("with a faulty formula shows the fault below its character", async () => {
      await inPage(linkOf(query(), { view: "table" }), async (page) => {
        await metric(page).getByLabel("Kind").selectOption("formula");
        const formula = metric(page).getByLabel("Formula", { exact: true });
        await formula.fill("login.TOTAL_TIMES * * 2");
        await page.locator(".query-caret mark").waitFor();
        expect(await page.locator(".query-caret").textContent()).toBe("login.TOTAL_TIMES * * 2");
        expect(await page.locator(".query-caret mark").textContent()).toBe("*");
        expect(await page.evaluate('document.querySelector(".query-caret").firstChild.data.length')).toBe(20);
        expect(await accessibilityFaults(page)).toEqual([]);
        await formula.fill("login.TOTAL_TIMES * 2");
        const customEvent = "login.TOTAL_TIMES * 2";
        await showsNumbersOf(page, query({}, [{ type: "customized", eventName: "login", customEvent }]));
        expect(await page.locator(".query-caret").count()).toBe(0);
      });
    });

    test("has filters for single operands of a formula", async () => {
      const customEvent = "login.TOTAL_TIMES - login.TRIG_USER_NUM";
      const formula = { type: "customized", eventName: "f", customEvent };
      await inPage(linkOf(query({}, [formula]), { view: "table" }), async (page) => {
        await metric(page).locator("summary").click();
        const operand = metric(page).locator(
          'fieldset:has(> legend:text-is("Operand 2: login.TRIG_USER_NUM"))',
        );
        await operand.locator("button").first().click();
        await operand.getByLabel("Property", { exact: true }).fill("city");
        await operand.getByLabel("Value", { exact: true }).fill("Paris");
        const filts = [{ columnName: "city", tableType: "event", comparator: "equal", ftv: ["Paris"] }];
        await showsNumbersOf(page, query({}, [{ ...formula, customFilters: [{ index: 1, filts }] }]));
      });
    });
  });
}
