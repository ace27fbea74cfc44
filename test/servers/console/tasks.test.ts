import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessibilityFaults, type Browser, openBrowser, type Page } from "./browser.ts";
import { timeBefore, withToken } from "./events.ts";
import { allowLoopback, openReceiver, type Receiver } from "./receiver.ts";
import { openServed, type Served } from "./served.ts";
import { testCopies } from "./tasks/copies.ts";
import { createData, report, track } from "./tasks/data.ts";
import { createTasksPage, field } from "./tasks/page.ts";

let served: Served;
let browser: Browser;
let receiver: Receiver;

const tasksPage = createTasksPage(
  () => served,
  () => browser,
);
const { openNew, post } = tasksPage;

beforeAll(async () => {
  [served, browser, receiver] = await Promise.all([
    openServed(`${allowLoopback}${withToken}`),
    openBrowser(),
    openReceiver(),
  ]);
  await createData(tasksPage, receiver.url);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** Waits until the row of a funnel has this text. */
const rowWith = (page: Page, text: string) =>
  page.locator(`.tasks-funnel tbody tr:has-text("${text}")`).first();

test("a push is made, previewed, started and followed to its clicks", async () => {
  const { page, faults, close } = await openNew({ timerSpeed: 10 });
  await field(page, "Name").fill("News");
  await page.getByLabel("Recipients").selectOption("users");
  await field(page, "Property").fill("level");
  await page.getByLabel("Condition").selectOption("greater");
  await field(page, "Value").fill("1");
  await page.getByRole("button", { name: "Estimate the audience" }).click();
  await page.getByText("2 users", { exact: true }).waitFor();
  await page.getByText("2 of them have a push id of their own in #account_id.").waitFor();

  await field(page, "Title").fill("Level {level}!");
  await field(page, "Tone").selectOption("loud");
  await page.getByRole("button", { name: "Add: Items" }).click();
  await field(page, "id, row 1").fill("i7");
  await field(page, "Push id of the recipient").fill("bob");
  await page.getByRole("button", { name: "Show the message" }).click();
  await page.getByText('"Level 2!"').waitFor();
  await page.getByText('"i7"').waitFor({ state: "attached" });
  expect(receiver.calls).toEqual([]);
  expect(await accessibilityFaults(page)).toEqual([]);

  await page.getByRole("button", { name: "Create the task" }).click();
  await page.getByRole("heading", { name: "News", exact: true }).waitFor();
  await page.getByText("The task has not run yet.").waitFor();
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("heading", { name: "Start News?" }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.locator("dialog .button.main").click();
  await page.getByText("Done", { exact: true }).waitFor();
  await rowWith(page, "Succeeded2100%").waitFor();
  const sent = receiver.calls.flatMap(
    ({ body }) => JSON.parse(body) as { push_id: string; params: object }[],
  );
  expect(sent.map(({ push_id, params }) => [push_id, params]).sort()).toEqual([
    ["bob", { title: "Level 2!", items: [{ id: "i7", count: "" }], tone: "loud" }],
    ["cid", { title: "Level 3!", items: [{ id: "i7", count: "" }], tone: "loud" }],
  ]);

  // A click appears while the page is open.
  expect(await page.locator(".tasks-facts code").first().textContent()).toBe("c1");
  await page.locator('.tasks-facts a:text-is("mail")').waitFor();
  const run = await page.locator(".tasks-facts code").last().textContent();
  const receipt = { ops_project_id: 1, ops_task_id: "t1", ops_task_instance_id: run };
  // Events have whole seconds: this one is not before the run.
  const click = track("ops_push_click", "bob", { "#ops_receipt_properties": receipt });
  await report(tasksPage, [{ ...click, "#time": timeBefore(-1) }]);
  await rowWith(page, "Clicked150%").waitFor();
  await page.getByRole("button", { name: "Start again" }).waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused", { exact: true }).waitFor();
  await page.getByText("1 of 1 batches settled (100%)").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test("an audience is chosen from the properties, values and cohorts that there are", async () => {
  const { page, faults, close } = await openNew();
  await page.getByLabel("Recipients").selectOption("users");
  await page.getByRole("button", { name: "Estimate the audience" }).click();
  expect(await page.locator(".field .error").allTextContents()).toEqual(
    Array(2).fill("A value is required."),
  );
  const suggested = (value: string) =>
    page.locator(`datalist option[value="${value}"]`).first().waitFor({ state: "attached" });
  await suggested("lang");
  await field(page, "Property").fill("lang");
  expect(await page.getByLabel("Condition").locator('option[value="less"]').count()).toBe(0);
  await field(page, "Value").focus();
  await suggested("de");
  await field(page, "Value").fill("de");
  await page.getByRole("button", { name: "Add a group of filters" }).click();
  const group = page.locator("fieldset.item fieldset.item");
  await group.getByLabel("Of", { exact: true }).selectOption("cluster");
  await suggested("vip");
  await group.getByLabel("Cohort or tag", { exact: true }).last().fill("vip");
  expect(await group.getByLabel("Condition").inputValue()).toBe("belongToCluster");
  await page.getByRole("button", { name: "Estimate the audience" }).click();
  await page.getByText("1 user", { exact: true }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);

  await page.getByLabel("Recipients").selectOption("cohort");
  await suggested("vip");
  await field(page, "Cohort").fill("vip");
  await suggested("2026-01-31");
  await page.getByRole("button", { name: "Estimate the audience" }).click();
  await page.getByText("2 users", { exact: true }).waitFor();

  await page.getByLabel("Recipients").selectOption("analysis");
  await page.locator('option:text-is("Logins")').waitFor({ state: "attached" });
  await page.getByLabel("Saved query").selectOption("Logins");
  await page.getByLabel("Step").waitFor();
  await page.getByRole("button", { name: "Estimate the audience" }).click();
  await page.getByText("3 users", { exact: true }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test("a push is cancelled after a question, and the list finds it by its state", async () => {
  const { page, faults, close } = await openNew();
  await field(page, "Name").fill("Every morning");
  await field(page, "Push ids").fill("ann\nbob");
  await field(page, "Title").fill("Hi");
  await page.getByLabel("When to run").selectOption("cron");
  await field(page, "Repeated times").fill("30 9 * * *");
  await page.getByRole("button", { name: "Create the task" }).click();
  await page.getByText("Scheduled", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Cancel the task" }).click();
  await page.getByRole("heading", { name: "Cancel Every morning?" }).waitFor();
  await page.locator("dialog .button.danger").click();
  await page.getByText("Cancelled", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Cancel the task" }).count()).toBe(0);

  await page.goto(`${served.url}/console/#/tasks?state=cancelled`);
  await page.getByRole("heading", { name: "Tasks" }).first().waitFor();
  await page.getByText("Every morning").waitFor();
  expect(await page.locator("tbody tr").count()).toBe(1);
  // A button that does nothing says why.
  // A list that arrives meanwhile removes the reason, so the button may be used again.
  const isSaid = async (): Promise<boolean> => {
    await page.evaluate('document.querySelector(".pager button:last-of-type").click()');
    return (await page.getByText("This is the last page.").count()) > 0;
  };
  await expect.poll(isSaid, { timeout: 30_000 }).toBe(true);
  await page.getByLabel("State").selectOption("failed");
  await page.locator("tbody tr").waitFor({ state: "detached" });
  expect(page.url()).toContain("state=failed");
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

testCopies(tasksPage);

test("a test of groups and languages has a funnel for each", async () => {
  const textOf = (language: string, text: string) => ({ language, values: { title: { text } } });
  const { task } = await post<{ task: { taskId: string } }>("/v1/tasks", {
    name: "Languages",
    channelId: "c1",
    languageProperty: "lang",
    contents: [textOf("default", "Hi"), textOf("de", "Hallo")],
    experimentGroups: [{ groupId: "a", share: 100 }],
    audience: { pushIds: { pushIds: ["ann", "bob", "cid"] } },
  });
  const { page, faults, close } = await browser.open({ timerSpeed: 10 });
  await page.goto(`${served.url}/console/#/tasks/${task.taskId}`);
  await page.getByText("The task has not run yet.").waitFor();
  await post(`/v1/tasks/${task.taskId}:run`, {});
  await page.locator('[aria-label="Group a, language de"] tr:has-text("Succeeded2100%")').waitFor();
  await page.locator('[aria-label="Group a, language default"] tr:has-text("Succeeded1100%")').waitFor();
  await page.locator('[aria-label="All recipients"] tr:has-text("Succeeded3100%")').waitFor();
  // The definition was loaded once, before the run.
  await page.getByText('"Hallo"', { exact: true }).waitFor({ state: "attached" });
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

describe("the form", () => {
  test("says at the field what is wrong, of the contract and of the server", async () => {
    const { page, close } = await openNew();
    await page.getByRole("button", { name: "Create the task" }).click();
    await page.locator('[aria-invalid="true"]').first().waitFor();
    expect(await page.locator(".field .error").allTextContents()).toEqual(["A value is required."]);
    await field(page, "Name").fill("Wrong");
    await page.getByRole("button", { name: "Create the task" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.locator(".field .error").allTextContents()).toEqual(["is empty", "is required"]);
    await page.getByLabel("Recipients").selectOption("analysis");
    await field(page, "Query as JSON").fill("{");
    await page.getByRole("button", { name: "Estimate the audience" }).click();
    await page.locator(".field .error").first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await close();
  });

  test.each([
    { colorScheme: "dark", locale: "zh-CN", width: 360 } as const,
    { colorScheme: "light", locale: "en-US", width: 1_280 } as const,
  ])("is readable by all, with groups and languages: %j", async (look) => {
    const { page, faults, close } = await openNew(look);
    const add = page.locator(".form-list > .row button, .form-list > div:last-child > button");
    // A language, and a group with a content of its own.
    await add.first().click();
    await add.last().click();
    await page.locator(".form-list .check input").last().click();
    await page.locator(".form-list .form-list").waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('main .form')).display")).toBe(
      "grid",
    );
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });
});

test.each([
  { place: "tasks", colorScheme: "dark", locale: "zh-CN", width: 360 } as const,
  { place: "tasks/t1", colorScheme: "dark", locale: "zh-CN", width: 360 } as const,
])("what was pushed is readable by all: %j", async ({ place, ...look }) => {
  const { page, faults, close } = await browser.open(look);
  await page.goto(`${served.url}/console/#/${place}`);
  await page.locator("main tbody tr").first().waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test("the list says how to make the first task", async () => {
  await using empty = await openServed("");
  const { page, close } = await browser.open();
  await page.goto(`${empty.url}/console/#/tasks`);
  await page.getByText("There is no task yet.").waitFor();
  expect(await page.locator(".command pre").allTextContents()).toEqual([expect.stringContaining(empty.url)]);
  await page.getByText("New task").click();
  await page.getByText("Make a channel first").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await close();
});
