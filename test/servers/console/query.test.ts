import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageRoot } from "../../../base/package/root.ts";
import { accessibilityFaults, type Browser, type Look, openBrowser, type Page } from "./browser.ts";
import { analyze, dayBefore, sendRecords, someRecords, someUsers, token, withToken } from "./events.ts";
import { withPage } from "./pages.ts";
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

interface QueryBody {
  readonly [name: string]: unknown;
  readonly eventView: Readonly<Record<string, unknown>>;
}

/** The last seven days by their dates, so that they stay the same at midnight. */
const days = { startTime: dayBefore(6), endTime: dayBefore(0), timeParticleSize: "day" };
const logins = { type: "normal", eventName: "login", analysis: "TOTAL_TIMES" };
const query = (more: object = {}, events: readonly object[] = [logins]): QueryBody => ({
  projectId: 1,
  eventView: { ...days, ...more },
  events,
});

const linkOf = (body: QueryBody, more: Readonly<Record<string, string>> = {}): string =>
  `${served.url}/console/#/query?${new URLSearchParams({ q: JSON.stringify(body), ...more })}`;

/** The browser notes each call that is refused, which the page shows too. */
const refusedCall = "Failed to load resource: the server responded with a status of 400 (Bad Request)";

const inPage = (url: string, check: (page: Page) => Promise<void>, look: Look = {}): Promise<void> =>
  withPage(browser, url, ({ page }) => check(page), look, refusedCall);

/** The numbers of the table as they stand in it, by row. */
async function numbersIn(page: Page): Promise<readonly (readonly string[])[]> {
  await page.locator(".query-grid tbody tr").first().waitFor();
  return page.evaluate(
    '[...document.querySelectorAll(".query-grid tbody tr")].map((row) => [...row.querySelectorAll("button")].map((cell) => cell.textContent))',
  );
}

interface Entry {
  readonly values: readonly string[];
  readonly values_compared?: readonly string[];
}

/** The numbers of a query as another client gets them. */
async function numbersOf(body: QueryBody | string): Promise<readonly (readonly string[])[]> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const { y } = (await analyze(served, "event-analyze", text)) as {
    readonly y: readonly Readonly<Record<string, readonly Entry[]>>[];
  };
  return y.flatMap((metric) =>
    Object.values(metric)
      .flat()
      .flatMap(({ values, values_compared: compared }) => (compared ? [values, compared] : [values]))
      .map((values) => values.map((value) => value.replace(/^-$/, "–"))),
  );
}

/** Waits until the table has the numbers of a query. */
async function showsNumbersOf(page: Page, body: QueryBody | string): Promise<void> {
  const expected = await numbersOf(body);
  await expect.poll(() => numbersIn(page), { timeout: 20_000 }).toEqual(expected);
}

const jsonOf = async (page: Page): Promise<string> => {
  await page.getByRole("tab", { name: "JSON" }).click();
  return page.getByLabel("Request", { exact: true }).inputValue();
};

const metric = (page: Page) => page.locator("fieldset.item").first();

describe("a query", () => {
  test("begins with the most frequent event, drawn as a chart", async () => {
    await inPage(`${served.url}/console/#/query`, async (page) => {
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

describe("the users behind a number", () => {
  const point = { sliceDate: dayBefore(5), sliceGroupVal: [], eventIndex: 0 };

  test("are listed by keyboard, and saved as a file without formulas", async () => {
    const { datalist } = (await analyze(
      served,
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
    const body = query({ timeParticleSize: "total", groupBy: [{ columnName: "none", tableType: "event" }] });
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
