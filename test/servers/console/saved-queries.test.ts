import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityFaults, type Browser, type Look, openBrowser, type WatchedPage } from "./browser.ts";
import { dayBefore, sendRecords, token, withToken } from "./events.ts";
import { keys, signIn, withKeys } from "./keys.ts";
import { openServed, type Served } from "./served.ts";

let served: Served;
let browser: Browser;

beforeAll(async () => {
  [served, browser] = await Promise.all([openServed(withToken), openBrowser()]);
  await sendRecords(served, [login]);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
});

const login = {
  "#type": "track",
  "#event_name": "login",
  "#account_id": "ann",
  "#time": `${dayBefore(0)} 00:00:00`,
};

const requestJson = JSON.stringify({
  projectId: 1,
  eventView: { recentDay: "1-7", timeParticleSize: "day" },
  events: [{ type: "normal", eventName: "login", analysis: "TOTAL_TIMES" }],
});

/** Saves a query as another client does; resolves with its id. */
async function saveBeside(name: string): Promise<string> {
  const response = await fetch(`${served.url}/v1/projects/1/queries?token=${token}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, description: "saved by a client", requestJson }),
  });
  const { savedQuery } = (await response.json()) as { readonly savedQuery: { readonly queryId: string } };
  return savedQuery.queryId;
}

async function openPage(query: string, look: Look = {}): Promise<WatchedPage> {
  const opened = await browser.open(look);
  await opened.page.goto(`${served.url}/console/#/query?${query}`);
  await opened.page.locator(".query-saved").waitFor();
  return opened;
}

test("a query is saved, changed, found by its link and renamed", async () => {
  const { page, faults, close, open } = await openPage("");
  await page.getByText("This query is not saved.").waitFor();
  await page.getByRole("button", { name: "Save as…" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Logins by day");
  await page.getByLabel("Description", { exact: true }).fill("For the weekly report.");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator(".query-saved strong").waitFor();
  expect(page.url()).toMatch(/[?&]saved=q\d+/);

  await page.getByLabel("Step", { exact: true }).selectOption("week");
  await page.getByText("Changed", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Undo changes" }).click();
  await page.getByText("Changed", { exact: true }).waitFor({ state: "detached" });
  await page.getByLabel("Step", { exact: true }).selectOption("month");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Changed", { exact: true }).waitFor({ state: "detached" });

  const [, id] = /saved=(q\d+)/.exec(page.url())!;
  const other = await open();
  await other.goto(`${served.url}/console/#/query?saved=${id}`);
  await other.locator(".query-saved strong").waitFor();
  expect(await other.locator(".query-saved strong").textContent()).toBe("Logins by day");
  expect(await other.getByLabel("Step", { exact: true }).inputValue()).toBe("month");

  await page.locator(".query-saved summary").click();
  await page.getByRole("button", { name: "Rename Logins by day" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Logins by month");
  await page.getByRole("button", { name: "Rename", exact: true }).click();
  await page.locator('.query-saved strong:text-is("Logins by month")').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("a query of others is opened, not overwritten unseen, and deleted", async () => {
  const id = await saveBeside("Saved beside");
  const { page, close } = await openPage("");
  await page.locator(".query-saved summary").click();
  await page.getByRole("button", { name: "Open Saved beside" }).click();
  await page.locator('.query-saved strong:text-is("Saved beside")').waitFor();

  const changed = { name: "Saved beside", description: "changed by a client", requestJson };
  await fetch(`${served.url}/v1/projects/1/queries/${id}?token=${token}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(changed),
  });
  await page.getByLabel("Step", { exact: true }).selectOption("week");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText('etag is "v1", which is not the current one').waitFor();

  await page.getByRole("button", { name: "Save as…" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Saved beside");
  await page.locator("dialog button[type=submit]").click();
  await page.getByText("which is the name of another saved query").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".query-saved [role=alert]").waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Undo changes" }).click();
  await page.reload();
  await page.locator(".query-saved summary").click();
  await page.getByText("changed by a client").waitFor();
  await page.getByRole("button", { name: "Delete Saved beside" }).click();
  await page.getByText("Saved beside will be gone for all who query this project.").waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("This query is not saved.").waitFor();
  expect(page.url()).not.toContain("saved=");
  await close();
});

test.each([
  { colorScheme: "light", locale: "en-US", width: 1_280, caption: "Saved queries" },
  { colorScheme: "dark", locale: "zh-CN", width: 360, caption: "已保存的查询" },
] as const)("the list is readable by all: %j", async ({ caption, ...look }) => {
  await saveBeside(`A long name that is cut in no place, for a page ${look.width} wide`);
  const { page, faults, close } = await openPage("", look);
  await page.locator(".query-saved summary").click();
  await page.getByRole("group", { name: caption }).waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test("a key that may only read opens what is saved, and gets no way to change it", async () => {
  await using guarded = await openServed(withKeys);
  await sendRecords(guarded, [login]);
  await fetch(`${guarded.url}/v1/projects/1/queries`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": keys.ops },
    body: JSON.stringify({ name: "Shared", requestJson }),
  });
  const { page, close } = await browser.open();
  await signIn(page, `${guarded.url}/console/#/query`, keys.viewer);
  await page.locator(".query-saved summary").click();
  await page.getByRole("button", { name: "Open Shared" }).click();
  await page.locator('.query-saved strong:text-is("Shared")').waitFor();
  await page.getByLabel("Step", { exact: true }).selectOption("week");
  await page.getByText("Changed", { exact: true }).waitFor();
  expect(await page.locator(".query-saved button").allTextContents()).toEqual(["Undo changes", "Shared"]);
  await close();
});
