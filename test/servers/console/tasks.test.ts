import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { AnalysisProxy } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { ClusterKind, ImportClusterRequestSchema } from "../../../gen/engage/analysis/v1/cluster_pb.ts";
import { accessibilityFaults, type Browser, openBrowser, type Page } from "./browser.ts";
import { timeBefore, token, withToken } from "./events.ts";
import { allowLoopback, openReceiver, type Receiver } from "./receiver.ts";
import { openServed, type Served } from "./served.ts";

let served: Served;
let browser: Browser;
let receiver: Receiver;

beforeAll(async () => {
  [served, browser, receiver] = await Promise.all([
    openServed(`${allowLoopback}${withToken}`),
    openBrowser(),
    openReceiver(),
  ]);
  await createChannel();
  await report([
    ...["ann", "bob", "cid"].map((account) => track("login", account, {})),
    ...["ann", "bob", "cid"].map((account, i) =>
      profile(account, { level: i + 1, lang: i === 0 ? "en" : "de" }),
    ),
  ]);
  await vi.waitFor(async () => expect(await usersOf()).toBe("3"), { timeout: 20_000, interval: 100 });
  await saveQuery("Logins");
  await importCohort("vip", "2026-01-31", ["ann", "cid"]);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

async function post<T>(
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<T> {
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers } };
  const response = await fetch(`${served.url}${path}`, { ...init, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

const createChannel = () =>
  post("/v1/channels", {
    name: "mail",
    projectId: 1,
    url: receiver.url,
    pushIdProperty: "#account_id",
    authentication: { secret: "secret-of-the-channel" },
    contentTemplate: [
      { name: "title", displayName: "Title", inputMethod: "INPUT_METHOD_DYNAMIC_TEXT", required: true },
      {
        name: "items",
        displayName: "Items",
        inputMethod: "INPUT_METHOD_ARRAY_ROW",
        columns: ["id", "count"],
      },
      { name: "tone", displayName: "Tone", inputMethod: "INPUT_METHOD_DROPDOWN", options: ["calm", "loud"] },
    ],
  });

/** Saves a query for the number of logins in two days, in which midnight may be. */
async function saveQuery(name: string): Promise<void> {
  const eventView = { recentDay: "0-2", timeParticleSize: "total" };
  const events = [{ type: "normal", eventName: "login", analysis: "TOTAL_TIMES" }];
  const requestJson = JSON.stringify({ projectId: 1, eventView, events });
  await post("/v1/projects/1/queries", { name, requestJson }, { authorization: `Bearer ${token}` });
}

/** Imports a cohort as other services do. */
async function importCohort(name: string, day: string, accounts: readonly string[]): Promise<void> {
  const client = createClient(AnalysisProxy, createGrpcTransport({ baseUrl: served.url }));
  const members = accounts.map((account) => ({ id: { case: "accountId" as const, value: account } }));
  async function* pieces() {
    const header = { token, projectId: 1n, name, day, kind: ClusterKind.COHORT };
    yield create(ImportClusterRequestSchema, { content: { case: "header", value: header } });
    yield create(ImportClusterRequestSchema, { content: { case: "members", value: { members } } });
  }
  expect((await client.importCluster(pieces())).members).toBe(BigInt(accounts.length));
}

/** Reports records as the SDKs do. */
const report = (records: readonly object[]) =>
  post("/sync_server", records, { appid: "app", compress: "none" });

function track(name: string, account: string, properties: object): object {
  return {
    "#type": "track",
    "#event_name": name,
    "#account_id": account,
    "#time": timeBefore(1),
    properties,
  };
}

function profile(account: string, properties: object): object {
  return { "#type": "user_set", "#account_id": account, "#time": timeBefore(1), properties };
}

async function usersOf(): Promise<string> {
  const audience = { users: { filts: [{ columnName: "level", tableType: "user", comparator: "notNull" }] } };
  const request = { projectId: 1, pushIdProperty: "#account_id", audience };
  return (await post<{ users: string }>("/v1/audiences:estimate", request)).users;
}

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true }).first();

async function openNew(look: Parameters<Browser["open"]>[0] = {}) {
  const opened = await browser.open(look);
  await opened.page.goto(`${served.url}/console/#/tasks/new`);
  await opened.page.locator("main .form").waitFor();
  return opened;
}

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
  await report([{ ...click, "#time": timeBefore(-1) }]);
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

describe("a task that begins with another", () => {
  const definitionOf = async (taskId: string): Promise<Record<string, unknown>> => {
    const response = await fetch(`${served.url}/v1/tasks/${taskId}`);
    const { task } = (await response.json()) as { task: Record<string, unknown> };
    const { name, channelId, contents, audience, experimentGroups, schedule, journey } = task;
    return { name, channelId, contents, audience, experimentGroups, schedule, journey };
  };
  const idIn = (page: Page): string => /tasks\/(t\d+)/.exec(page.url())![1]!;
  const createTask = async (changes: object): Promise<string> => {
    const given = { name: "Model", channelId: "c1", contents: [content], ...changes };
    return (await post<{ task: { taskId: string } }>("/v1/tasks", given)).task.taskId;
  };
  const content = {
    language: "default",
    values: { title: { text: "Hi" }, items: { rows: { rows: [{ cells: { id: "7", count: "1" } }] } } },
  };
  /** Opens the form by the link on the page of a task. */
  const openCopy = async (taskId: string) => {
    const opened = await browser.open();
    await opened.page.goto(`${served.url}/console/#/tasks/${taskId}`);
    await opened.page.getByText("Make a new task like this").click();
    return opened;
  };

  test("is made from what the form shows, with the node of a journey", async () => {
    const filts = [{ columnName: "level", tableType: "user", comparator: "greater", ftv: ["2"] }];
    const model = await createTask({
      audience: { users: { filts, relation: "or" } },
      experimentGroups: [{ groupId: "a", share: 33.3, contents: [content] }],
      schedule: { cron: "30 9 * * *", zone: "+08:00" },
    });
    const { page, faults, close } = await openCopy(model);
    await page.locator("main .form").waitFor();
    expect(await field(page, "Value").inputValue()).toBe("2");
    await page.getByLabel("This task is the push of a journey's node").click();
    await page.getByRole("button", { name: "Create the task" }).click();
    await page.locator('[aria-invalid="true"]').first().waitFor();
    await field(page, "Id of the journey").fill("flow-1");
    await field(page, "Version of the journey").fill("3");
    await field(page, "Id of the node").fill("node-7");
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Create the task" }).click();
    await page.getByText("Journey flow-1, version 3, node node-7").waitFor();
    const copy = idIn(page);
    expect(copy).not.toBe(model);
    const journey = { flowId: "flow-1", flowVersion: "3", nodeId: "node-7" };
    expect(await definitionOf(copy)).toEqual({ ...(await definitionOf(model)), journey });
    expect(faults).toEqual([]);
    await close();
  });

  test("is edited as JSON where the form would lose a part of it", async () => {
    const model = await createTask({ audience: { pushIds: { pushIds: ["two\nlines", " spaces "] } } });
    const { page, faults, close } = await openCopy(model);
    await page.getByText("The form cannot show all of this task").waitFor();
    const json = field(page, "The task as JSON");
    const text = await json.inputValue();
    await json.fill(text.slice(1));
    await page.getByRole("button", { name: "Create the task" }).click();
    await page.locator('[aria-invalid="true"]').waitFor();
    await json.fill(text);
    await page.getByRole("tab", { name: "Form" }).click();
    await page.locator(".field .error").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Create the task" }).click();
    await page.getByText("The task has not run yet.").waitFor();
    expect(await definitionOf(idIn(page))).toEqual(await definitionOf(model));
    expect(faults).toEqual([]);
    await close();
  });

  test("goes from the form to its JSON and back", async () => {
    const { page, close } = await openNew();
    await field(page, "Name").fill("Typed");
    await page.getByRole("tab", { name: "JSON" }).click();
    const json = field(page, "The task as JSON");
    await json.fill((await json.inputValue()).replace('"Typed"', '"By hand"'));
    await page.getByRole("tab", { name: "Form" }).click();
    await page.locator("main .form").waitFor();
    expect(await field(page, "Name").inputValue()).toBe("By hand");
    await close();
  });
});

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
