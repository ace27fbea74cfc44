import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, openBrowser, type Page } from "./browser.ts";
import { dayBefore, sendRecords, timeBefore, token, withToken } from "./events.ts";
import { withPage } from "./pages.ts";
import { accepted, allowLoopback, openReceiver, type Receiver } from "./receiver.ts";
import { openServed, type Served, secret } from "./served.ts";

let served: Served;
let browser: Browser;
let receiver: Receiver;
const folder = mkdtempSync(join(tmpdir(), "engage-hostile-"));

/** Runs in a page that takes it for HTML, or for an address. */
const markup = `"><img src=x onerror="window.ran=1"><script>window.ran=1</script>`;
const address = "javascript:window.ran=1";
const turned = "\u202egnp.exe\u2066";
/** Texts that break pages which do not expect them; each has at most 100 characters, as names have. */
const names: readonly string[] = [
  markup,
  `</title></textarea><svg onload="window.ran=1">`,
  `{{constructor.constructor("window.ran=1")()}}`,
  address,
  "שלום עולם مرحبا",
  "👩‍👩‍👧‍👦🏴‍☠️e\u0301\u0301\u0301".repeat(4),
  "W".repeat(100),
];
/** Names have no control characters; values have. */
const values: readonly string[] = [...names, "a\0b\u0007\u001b[31mc\u009b\r\n\u2028d", "W".repeat(2_000)];

async function post(path: string, body: unknown): Promise<string> {
  const response = await fetch(`${served.url}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
      appid: "app",
      compress: "none",
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return response.ok ? "" : text;
}

const recordOf = (type: string, account: string, more: object) => ({
  "#type": type,
  "#account_id": account,
  "#time": `${dayBefore(0)} 00:00:00`,
  ...more,
});

const request = {
  projectId: 1,
  eventView: {
    startTime: dayBefore(6),
    endTime: dayBefore(0),
    timeParticleSize: "day",
    groupBy: [{ columnName: "city", tableType: "event", columnDesc: markup }],
  },
  events: [{ type: "normal", eventName: "login", eventNameDisplay: markup, analysis: "TOTAL_TIMES" }],
};

const channelOf = (name: string) => ({
  name,
  projectId: 1,
  url: receiver.url,
  pushIdProperty: "#account_id",
  customHeaders: [{ name: "x-note", value: "a" }],
  contentTemplate: [
    { name: "constructor", displayName: name, description: name, inputMethod: "INPUT_METHOD_DYNAMIC_TEXT" },
    {
      name: "tone",
      displayName: name,
      inputMethod: "INPUT_METHOD_DROPDOWN",
      options: [...names],
      defaultValue: name,
    },
    { name: "items", displayName: name, inputMethod: "INPUT_METHOD_ARRAY_ROW", columns: ["id"] },
  ],
});

const taskOf = (name: string) => ({
  name,
  channelId: "c1",
  contents: [{ language: "default", values: { constructor: { text: name } } }],
  audience: { pushIds: { pushIds: [...names] } },
});

async function sendAll(): Promise<void> {
  await sendRecords(
    served,
    values.flatMap((value, i) => [
      recordOf("track", `u${i}`, { "#event_name": "login", properties: { city: value } }),
      recordOf("user_set", `u${i}`, { properties: { note: value } }),
    ]),
  );
  await refused();
  for (const name of names) {
    expect([name, await post("/v1/channels", channelOf(name))]).toEqual([name, ""]);
    expect([name, await post("/v1/tasks", taskOf(name))]).toEqual([name, ""]);
    const requestJson = JSON.stringify(request);
    expect([name, await post("/v1/projects/1/queries", { name, description: name, requestJson })]).toEqual([
      name,
      "",
    ]);
    await served.sendBatch("mail", name, [name, address]);
    await served.sendBatch("broken", name, [name]);
  }
  receiver.reply = JSON.stringify({ return_code: 7, return_message: markup });
  expect(await post("/v1/tasks/t1:run", {})).toBe("");
  await post(`/webhook/${encodeURIComponent(markup)}`, [markup, secret]);
  await post("/webhook/mail", [address]);
}

/** Sends records whose names, and those of their properties, are not valid. */
const refused = () =>
  post(
    "/sync_server",
    values.map((value) =>
      recordOf("track", value.slice(0, 100), {
        "#event_name": value,
        "#time": timeBefore(0),
        properties: { [value]: value },
      }),
    ),
  );

beforeAll(async () => {
  [served, browser, receiver] = await Promise.all([
    openServed(`${allowLoopback}${withToken}`),
    openBrowser(),
    openReceiver(),
  ]);
  receiver.reply = accepted;
  await sendAll();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const width = 360;
const hostileElements =
  'main img, main script, main iframe, main svg[onload], [onerror], a[href^="javascript:" i]';

async function isHarmless(page: Page): Promise<void> {
  expect(await page.evaluate("window.ran")).toBeUndefined();
  expect(await page.locator(hostileElements).count()).toBe(0);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
}

/** The browser notes what a page asks for and is refused. */
const notFound = "Failed to load resource: the server responded with a status of 404 (Not Found)";

/** Opens a place, waits for a text, and does what shows more of it. */
const onPage = (
  place: string,
  shown: string | RegExp,
  more: (page: Page) => Promise<void> = async () => {},
) =>
  withPage(
    browser,
    `${served.url}/console/#/${place}`,
    async ({ page }) => {
      await page.getByText(shown).first().waitFor({ state: "attached" });
      await more(page);
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      await isHarmless(page);
    },
    { width, timerSpeed: 10 },
    notFound,
  );

const linkOf = (view: string) => `query?${new URLSearchParams({ q: JSON.stringify(request), view })}`;
const image = /"><img/;

describe("what strangers write is text", () => {
  test.each<[string, string | RegExp]>([
    ["deliveries", image],
    ["deliveries?show=batches", image],
    ["deliveries?show=refused", "there is no channel"],
    [`deliveries?${new URLSearchParams({ channel: markup, target: address })}`, "No "],
    [`dead-letters/${encodeURIComponent(markup)}`, "is unknown"],
    ["dead-letters", "Reasons"],
    ["dead-letters?kind=record", "Reasons"],
    [`channels/${encodeURIComponent(address)}`, "Channel"],
    [`tasks/${encodeURIComponent(markup)}`, "Task"],
    [`events/${encodeURIComponent(markup)}`, image],
    [`${markup}/${address}`, "There is no such page"],
    ["channels", image],
    ["channels/c1", image],
    ["tasks", image],
    ["tasks/t1", "return_code 7"],
    ["tasks/new?from=t1", "Create the task"],
    ["overview", "There is no such page"],
    ["", "Webhook channels"],
    [linkOf("table"), image],
    [linkOf("numbers"), image],
    [linkOf("bars"), image],
  ])("on the page %#", onPage);

  test("in the values of a property", () =>
    onPage("events/login", "Properties", async (page) => {
      await page.getByRole("button", { name: "Values of city" }).click();
      await page.getByText(image).first().waitFor();
    }));

  test("in a chart, its legend, the users behind a number and the saved queries", () =>
    onPage(linkOf("lines"), image, async (page) => {
      await page.locator(".chart canvas").waitFor();
      await page.locator(".query-saved summary").click();
      await page.locator(".query-saved tbody tr").first().waitFor();
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      await page.locator('.query-cell:text-is("1")').first().click();
      await page.locator(".query-users tbody").waitFor();
    }));

  test("in the live records, with what is refused", () =>
    onPage("events?show=live", "Records appear here", async (page) => {
      // The watch may begin after the first of them.
      const shown = page.locator(".events-tail li");
      while ((await shown.count()) === 0) await refused();
    }));

  test("in a delivery, its batch and the question before a replay", () =>
    onPage("deliveries?state=dead", image, async (page) => {
      await page.getByRole("button", { name: "Replay all given up" }).click();
      await page.locator("dialog").waitFor();
      await page.keyboard.press("Escape");
      await page.locator("tbody th a").first().click();
      await page.getByText("Attempts").first().waitFor();
      await isHarmless(page);
    }));

  test("in a sentence, whose direction stays", () =>
    onPage(encodeURIComponent(turned), "Nothing of the console is at /[U+202E]gnp.exe[U+2066]."));

  test("in a table that is imported", () =>
    onPage("events?show=import", "Drop a CSV file here", async (page) => {
      const quoted = values
        .filter((value) => !value.includes("\0"))
        .map((value) => `"${value.replaceAll('"', '""')}"`);
      const path = join(folder, "orders.csv");
      writeFileSync(path, `user,time,${quoted.join()}\nann,2026-01-01 10:00:00,${quoted.join()}\n`);
      await page.locator('input[type="file"]').setInputFiles(path);
      await page.getByText("The first row becomes").first().waitFor();
    }));

  test("in lines for the parser", () =>
    onPage("parser", "Parser", async (page) => {
      await page.getByLabel("Lines").fill(values.join("\n"));
      await page.getByRole("button", { name: "Parse", exact: true }).click();
      await page.locator("main table, main [role=alert], main .note").first().waitFor();
    }));
});
