import { copyFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityFaults, type Browser, openBrowser, type Page } from "./browser.ts";
import { dayBefore } from "./events.ts";
import { openServed, type Served } from "./served.ts";

let served: Served;
let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), "engage-table-"));
const table = join(folder, "orders.csv");

const days = Array.from({ length: 7 }, (_, ago) => dayBefore(ago));
const rows = Array.from({ length: 2_500 }, (_, at) => {
  const time = at === 1_200 ? "soon" : `${days[at % 7]} 10:00:00`;
  return `user-${at % 100},${at % 5 === 0 ? "return" : "buy"},${time},"$${(at + 1).toLocaleString("en")}.50","a ""quoted"", text"`;
});

beforeAll(async () => {
  writeFileSync(table, `\u{feff}user,event,ordered at,amount,"note, long"\r\n${rows.join("\r\n")}\r\n`);
  [served, browser] = await Promise.all([openServed(""), openBrowser()]);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function choose(page: Page, path: string = table): Promise<void> {
  await page.goto(`${served.url}/console/#/events?show=import`);
  await page.locator('input[type="file"]').setInputFiles(path);
  await page.getByText(new RegExp(`^${basename(path)}, `)).waitFor();
}

/** Calls the API as the page does. */
const get = <T>(page: Page, path: string): Promise<T> =>
  page.evaluate<T>(`fetch(${JSON.stringify(path)}).then((response) => response.json())`);

let markers = 0;

/**
 * Returns the counts of events by name, once all that was sent before can be queried: a record sent now is the last.
 */
async function counts(page: Page): Promise<Record<string, number>> {
  markers++;
  const record = {
    "#type": "track",
    "#event_name": "marker",
    "#account_id": "m",
    "#time": `${days[0]} 00:00:00`,
  };
  const headers = { "content-type": "application/json", appid: "app" };
  await fetch(`${served.url}/sync_json`, { method: "POST", headers, body: JSON.stringify([record]) });
  for (;;) {
    const { events = [] } = await get<{ events?: { name: string; count: string }[] }>(
      page,
      "/v1/projects/1/events",
    );
    const { marker, ...found } = Object.fromEntries(events.map(({ name, count }) => [name, Number(count)]));
    if (marker === markers) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test.each([
  { colorScheme: "light", width: 1_280 },
  { colorScheme: "dark", width: 360 },
] as const)("the form is readable by all: %j", async (look) => {
  const { page, faults, close } = await browser.open(look);
  await choose(page);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test("a table becomes events, its wrong row is named, and importing it again counts nothing twice", async () => {
  const { page, faults, close } = await browser.open();
  await choose(page);
  await page.getByRole("button", { name: "Check the first 1,000 rows" }).click();
  await page.getByText("Nothing was stored. 1,000 rows are valid, 0 would be refused.").waitFor();
  for (let time = 0; time < 2; time++) {
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText("2,499 rows were imported, 1 refused.").waitFor();
    expect(await page.locator("tbody tr").allTextContents()).toContainEqual(
      expect.stringContaining('The time "soon" is not valid'),
    );
    expect(await counts(page)).toEqual({ buy: 2_000, return: 499 });
  }
  // A copy has another name and another time.
  const copy = join(folder, "copy.csv");
  copyFileSync(table, copy);
  utimesSync(copy, 1, 1);
  await choose(page, copy);
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("2,499 rows were imported, 1 refused.").waitFor();
  expect(await counts(page)).toEqual({ buy: 2_000, return: 499 });
  type Properties = { readonly properties: readonly { readonly name: string; readonly type: string }[] };
  const { properties } = await get<Properties>(page, "/v1/projects/1/properties?event=buy");
  const types = Object.fromEntries(properties.map(({ name, type }) => [name, type]));
  expect(types).toMatchObject({ amount: "PROPERTY_TYPE_NUMBER", note_long: "PROPERTY_TYPE_TEXT" });
  await page.getByRole("link", { name: "Draw a chart" }).click();
  await page.getByText(`${days.at(-1)} 00:00:00 to ${days[0]} 23:59:59`).waitFor();
  await page.getByText(/^buy\.TOTAL_TIMES: /).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("a file that is no table is refused with what to do, and a proper one is read after it", async () => {
  const { page, faults, close } = await browser.open();
  await page.goto(`${served.url}/console/#/events?show=import`);
  const file = page.locator('input[type="file"]');
  const give = (name: string, content: Buffer) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return file.setInputFiles(path);
  };
  await give("utf-16.csv", Buffer.from("\u{feff}user,time\nann,2026-01-01\n", "utf16le"));
  await page.getByText('Save it again as "CSV UTF-8"').waitFor();
  await give("line.csv", Buffer.alloc(30_000_000, "x"));
  await page.getByText("A row has more than a million characters.").waitFor();
  await give("wide.csv", Buffer.from(`${"c,".repeat(10_000)}\n1\n`));
  await page.getByText("The table has more than 500 columns.").waitFor();
  await file.setInputFiles(table);
  await page.getByText("The first row becomes").first().waitFor();
  expect(await page.getByText("The table has more than 500 columns.").count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});
