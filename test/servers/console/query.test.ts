import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageRoot } from "../../../base/package/root.ts";
import { accessibilityFaults, type Browser, openBrowser } from "./browser.ts";
import { sendRecords, someRecords, someUsers, token, withToken } from "./events.ts";
import { testForm } from "./query/form.ts";
import { createQueryPage, jsonOf, logins, numbersIn, query } from "./query/page.ts";
import { testResults } from "./query/results.ts";
import { openServed, type Served } from "./served.ts";

const run = promisify(execFile);

let served: Served;
let browser: Browser;

beforeAll(async () => {
  [served, browser] = await Promise.all([openServed(withToken), openBrowser()]);
  await sendRecords(served, [...someUsers(), ...someRecords()]);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
});

const queryPage = createQueryPage(
  () => served,
  () => browser,
);
const { inPage, linkOf, numbersOf, showsNumbersOf } = queryPage;

testForm(queryPage);

testResults(queryPage);

describe("the JSON of a query", () => {
  test("is edited with its faults said, and keeps what no field is for", async () => {
    await inPage(linkOf({ ...query(), mine: [1.5] }, { view: "table", edit: "json" }), async (page) => {
      const editor = page.getByLabel("Request", { exact: true });
      await page.getByText("Members without effect: mine").waitFor();
      await editor.fill("{");
      await page.getByText("This is not JSON").waitFor();
      await editor.fill(JSON.stringify({ ...query({ timeParticleSize: "fortnight" }), mine: 9 }));
      await page.getByText('eventView.timeParticleSize: "fortnight" is unknown').waitFor();
      await editor.fill(`{"mine":90071992547409931,${JSON.stringify(query()).slice(1)}`);
      await showsNumbersOf(page, query());
      await page.getByRole("tab", { name: "Form" }).click();
      await page.getByLabel("Step", { exact: true }).selectOption("week");
      await showsNumbersOf(page, query({ timeParticleSize: "week" }));
      expect(await jsonOf(page)).toContain('"mine": 90071992547409931');
    });
  });

  test("is copied as programs that give the same numbers", async () => {
    const filts = [{ columnName: "city", tableType: "event", comparator: "notEqual", ftv: ["it's"] }];
    const body = query({ filts });
    const [expected] = await numbersOf(body);
    const env = { ...process.env, ENGAGE_TOKEN: token };
    await inPage(linkOf(body, { edit: "copies" }), async (page) => {
      await page.locator(".command pre").first().waitFor();
      const [curl, command, code] = await page.locator(".command pre").allTextContents();
      const byCurl = await run("bash", ["-c", `${curl} -s`], { env });
      expect(byCurl.stdout).toContain(`"values":${JSON.stringify(expected)}`);
      const engage = command!.replace("npx engage-server", `"${process.execPath}" cmd/engage.ts`);
      const byCommand = await run("bash", ["-c", `${engage} --json`], { env, cwd: packageRoot });
      expect(byCommand.stdout).toContain(`"values":${JSON.stringify(expected)}`);
      const local = code!.replaceAll(/"engage-server\/(gen\/.*)\.js"/g, `"${packageRoot}/$1.ts"`);
      const byCode = await run(
        process.execPath,
        [
          "--input-type=module-typescript",
          "-e",
          local.replace(
            "console.log(data?.y)",
            "console.log(data?.y[0]?.entries[0]?.values?.numbers.join())",
          ),
        ],
        { env, cwd: packageRoot },
      );
      expect(byCode.stdout.trim()).toBe(expected!.join());
    });
  });
});

test("a query that runs long says so, and is cancelled", async () => {
  await inPage(linkOf(query(), { view: "table" }), async (page) => {
    await numbersIn(page);
    await page.route("**/AnalyzeEvents", () => new Promise<void>(() => undefined));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText(/^Running for \d/).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText(/^Took \d/).waitFor();
    await page.unroute("**/AnalyzeEvents");
    await page.getByLabel("Run after each change").click();
    await page.getByLabel("Step", { exact: true }).selectOption("week");
    await page.getByText("This is the result of the query before its changes.").waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await showsNumbersOf(page, query({ timeParticleSize: "week" }));
    expect(await page.getByText("This is the result of the query before its changes.").count()).toBe(0);
  });
});

/** Counts the queries that run at the same time in a page. */
const countQueries = `let open = 0;
globalThis.mostQueries = 0;
const { fetch } = globalThis;
globalThis.fetch = async (url, init) => {
  if (!String(url).endsWith("/AnalyzeEvents")) return fetch(url, init);
  globalThis.mostQueries = Math.max(globalThis.mostQueries, ++open);
  try {
    return await fetch(url, init);
  } finally {
    open--;
  }
};`;

test("there is never more than one query at a time", async () => {
  const { page, close } = await browser.open();
  await page.addInitScript(countQueries);
  await page.goto(linkOf(query(), { view: "table" }));
  await numbersIn(page);
  const press = 'document.querySelector(".query-bar .main").click()';
  await page.evaluate(`for (let i = 0; i < 20; i++) ${press}`);
  await page.getByLabel("Step", { exact: true }).selectOption("week");
  await page.evaluate(press);
  await showsNumbersOf(page, query({ timeParticleSize: "week" }));
  expect(await page.evaluate("globalThis.mostQueries")).toBe(1);
  await close();
});

describe("before there is data the page says how to get the first", () => {
  test("without events", async () => {
    await using empty = await openServed("");
    await inPage(`${empty.url}/console/#/query`, async (page) => {
      await page.getByText("No event has come in yet.").waitFor();
      expect(await page.locator(".command pre").textContent()).toContain(`--url ${empty.url}`);
      expect(await accessibilityFaults(page)).toEqual([]);
    });
  });

  test("without projects", async () => {
    const { page, close } = await browser.open();
    const body = { status: 200, contentType: "application/proto", body: "" };
    await page.route("**/ListProjects", (route) => route.fulfill(body));
    await page.goto(`${served.url}/console/#/query`);
    await page.getByText("There is no project yet.").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await close();
  });
});

const looks = [
  { colorScheme: "light", locale: "en-US", width: 360 },
  { colorScheme: "light", locale: "zh-CN", width: 1_280 },
  { colorScheme: "dark", locale: "zh-CN", width: 360 },
  { colorScheme: "dark", locale: "en-US", width: 2_560 },
] as const;

test.each(looks)("all of the page is readable by all: %j", async (look) => {
  const city = { columnName: "city", tableType: "event" };
  const filts = [
    { ...city, comparator: "notEqual", ftv: ["a", "b"] },
    { filterType: "COMPOUND", relation: "or", filts: [{ ...city, comparator: "notNull" }] },
  ];
  const eventSplit = {
    event: { eventName: "login" },
    groupByProp: { columnName: "level", tableType: "event" },
  };
  const body = query(
    { filts, groupBy: [city], eventSplit, comparedByTime: true, comparedRecentDay: "8-14" },
    [logins, { type: "customized", eventName: "f", customEvent: "login.TOTAL_TIMES / 2" }],
  );
  await inPage(
    linkOf(body),
    async (page) => {
      await page.locator(".chart canvas").waitFor();
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      await page.locator(".query-cell").first().click();
      await page.locator(".query-users tbody").waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width);
      expect(await accessibilityFaults(page)).toEqual([]);
    },
    look,
  );
});

test("the result is reached by keyboard from the form above it, and the form from the result", async () => {
  const isResult = 'document.activeElement.classList.contains("query-main")';
  const top = "document.activeElement.getBoundingClientRect().top";
  await inPage(
    linkOf(query()),
    async (page) => {
      await page.locator(".chart canvas").waitFor();
      await page.getByRole("button", { name: "See the result" }).focus();
      await page.keyboard.press("Enter");
      expect(await page.evaluate(isResult)).toBe(true);
      expect(await page.evaluate<number>(top)).toBeLessThan(100);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe("tab");
    },
    { width: 360 },
  );
});

test("a link to a query of thousands of conditions opens without its form", async () => {
  const filts = Array.from({ length: 3_000 }, () => ({}));
  await inPage(linkOf(query({ filts })), async (page) => {
    await page.getByText("This query has too many metrics and conditions for the form.").waitFor();
    expect(await page.locator(".query-form").count()).toBe(0);
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByRole("textbox", { name: "Request" }).waitFor();
  });
});
