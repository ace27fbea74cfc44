import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessibilityFaults, type Browser, openBrowser, type Page } from "./browser.ts";
import { keys, signIn, withKeys } from "./keys.ts";
import { accepted, allowLoopback, openReceiver, type Receiver } from "./receiver.ts";
import { openServed, type Served } from "./served.ts";

const secret = "secret-of-the-channel";
let served: Served;
let browser: Browser;
let receiver: Receiver;

beforeAll(async () => {
  [served, browser, receiver] = await Promise.all([openServed(allowLoopback), openBrowser(), openReceiver()]);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});
beforeEach(() => {
  receiver.calls.length = 0;
  receiver.reply = accepted;
});

/** The browser notes the call that is refused, which the page shows too. */
const refusedCall = "Failed to load resource: the server responded with a status of 400 (Bad Request)";

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true }).first();

/** Fills the form of a new channel with a field of content. */
async function fillChannel(page: Page, name: string): Promise<void> {
  await field(page, "Name").fill(name);
  await field(page, "URL of the receiver").fill(receiver.url);
  await field(page, "User property with the push id").fill("#account_id");
  await field(page, "Secret").fill(secret);
  await page.getByRole("button", { name: "Add: Field" }).click();
  await field(page, "Name in the message").fill("title");
  await field(page, "Default").fill("Hello");
}

async function openNew(look: Parameters<Browser["open"]>[0] = {}) {
  const opened = await browser.open(look);
  await opened.page.goto(`${served.url}/console/#/channels/new`);
  await field(opened.page, "Name").waitFor();
  return opened;
}

async function channelNamed(name: string): Promise<Record<string, unknown> | undefined> {
  const response = await fetch(`${served.url}/v1/channels`);
  const { channels = [] } = (await response.json()) as { channels?: Record<string, unknown>[] };
  return channels.find((one) => one["name"] === name);
}

describe("a channel", () => {
  test("is tested before it is saved, then created, changed and deleted", async () => {
    const { page, faults, close } = await openNew();
    await fillChannel(page, "mail");
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByText("A value is required.").waitFor();
    expect(await page.evaluate("document.activeElement.labels[0].textContent")).toBe(
      "Push id of the recipient",
    );
    await field(page, "Push id of the recipient").fill("ann");
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByText("Counts as sent").first().waitFor();
    const [call] = receiver.calls;
    expect(JSON.parse(call!.body)).toMatchObject([{ push_id: "ann", params: { title: "Hello" } }]);
    const shown = await page.evaluate<string>("document.body.textContent");
    expect(shown).toContain(String(call!.signature));
    expect(shown).toContain('"ann"');
    expect(shown).toContain("Status 200 after");
    expect(shown).not.toContain(secret);
    expect(await channelNamed("mail")).toBeUndefined();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole("button", { name: "Create the channel" }).click();
    await page.getByRole("heading", { name: "mail", exact: true }).waitFor();
    expect(page.url()).toMatch(/#\/channels\/c\d+$/);
    expect(await channelNamed("mail")).toMatchObject({ url: receiver.url, delivery: { batchSize: 100 } });

    await field(page, "Messages a request").fill("7");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    expect(await channelNamed("mail")).toMatchObject({ delivery: { batchSize: 7 } });
    // The stored secret signs the test of the changed channel.
    await field(page, "Push id of the recipient").fill("bob");
    await field(page, "title").fill("Hi <b>");
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByText('"bob"').waitFor();
    expect(receiver.calls.at(-1)?.signature).toMatch(/^[0-9a-f]{40}$/);
    expect(JSON.parse(receiver.calls.at(-1)!.body)).toMatchObject([{ params: { title: "Hi <b>" } }]);
    // What is wrong with a value is shown at it.
    await field(page, "Kind of value").selectOption("3");
    await field(page, "Default").fill("1");
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.locator('[aria-invalid="true"]').waitFor();
    expect(await page.evaluate("document.activeElement.labels[0].textContent")).toBe("title");

    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Delete the channel mail?" }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.locator("dialog .button.danger").click();
    await page.getByRole("heading", { name: "Channels" }).first().waitFor();
    expect(await channelNamed("mail")).toBeUndefined();
    expect(faults).toEqual([refusedCall]);
    await close();
  });

  test("that its receiver refuses is shown with the reason", async () => {
    receiver.reply = '{"return_code":7,"return_message":"unknown sender"}';
    const { page, close } = await openNew();
    await fillChannel(page, "refused");
    await field(page, "Push id of the recipient").fill("ann");
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByText("return_code 7: unknown sender").first().waitFor();
    expect(await page.getByText("Fails", { exact: true }).count()).toBe(2);
    await close();
  });
});

describe("the form", () => {
  test("has the limits of the contract beside its fields, and says what is wrong at the field", async () => {
    const { page, close } = await openNew();
    const text = await page.evaluate<string>("document.body.textContent");
    expect(text).toContain("Required · at most 100 characters");
    expect(text).toContain("1 to 10,000, or -1 · default: -1");
    await fillChannel(page, "limits");
    await field(page, "Messages a request").fill("501");
    await page.getByRole("button", { name: "Create the channel" }).click();
    const wrong = page.locator('[aria-invalid="true"]');
    await wrong.waitFor();
    expect(await page.locator(".field .error").allTextContents()).toEqual(["1 to 500"]);
    expect(await page.evaluate("document.activeElement.value")).toBe("501");
    expect(await accessibilityFaults(page)).toEqual([]);
    // What only the server knows is shown at the field too.
    await field(page, "Messages a request").fill("500");
    await field(page, "URL of the receiver").fill("http://10.0.0.1/push");
    await page.getByRole("button", { name: "Create the channel" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.locator(".field .error").allTextContents()).toEqual([
      expect.stringContaining("is refused"),
    ]);
    await close();
  });

  test.each([
    { colorScheme: "dark", locale: "zh-CN", width: 360 } as const,
    { colorScheme: "light", locale: "en-US", width: 1_280 } as const,
  ])("is readable by all, with every part open: %j", async (look) => {
    const { page, faults, close } = await browser.open(look);
    await page.goto(`${served.url}/console/#/channels/new`);
    await page.locator("main .form").waitFor();
    // Opens the funnel and adds an entry to each list.
    await page.evaluate(
      "document.querySelectorAll('main .form-list > .row button').forEach((button) => button.click())",
    );
    await page.locator("main .check input").last().click();
    await page.locator("main fieldset fieldset").last().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });
});

test("the list says how to make the first channel", async () => {
  await using empty = await openServed("");
  const { page, close } = await browser.open();
  await page.goto(`${empty.url}/console/#/channels`);
  await page.getByText("There is no channel yet.").waitFor();
  expect(await page.locator(".command pre").allTextContents()).toEqual([
    expect.stringContaining(`${empty.url}/v1/channels`),
  ]);
  expect(await accessibilityFaults(page)).toEqual([]);
  await close();
});

test("a key that may only read sees channels and tasks, and changes none", async () => {
  await using guarded = await openServed(`${allowLoopback}${withKeys}`);
  const channel = {
    name: "seen",
    projectId: 1,
    url: receiver.url,
    pushIdProperty: "mail",
    authentication: { secret },
  };
  const headers = { "content-type": "application/json", "x-api-key": keys.ops };
  const post = (path: string, body: object) =>
    fetch(`${guarded.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  await post("/v1/channels", channel);
  const audience = { pushIds: { pushIds: ["ann"] } };
  await post("/v1/tasks", { name: "unsent", channelId: "c1", contents: [{ language: "default" }], audience });
  const { page, close } = await browser.open();
  await signIn(page, `${guarded.url}/console/`, keys.viewer);
  await page.getByText("Read only").waitFor();
  await page.goto(`${guarded.url}/console/#/channels`);
  await page.getByText("seen", { exact: true }).click();
  await page.getByRole("heading", { name: "seen" }).waitFor();
  await page.locator("main fieldset:disabled").first().waitFor();
  expect(await page.locator("main button").count()).toBe(0);
  expect(await page.evaluate("document.body.textContent")).not.toContain(secret);
  const call = (method: string) =>
    page.evaluate(
      `fetch(${JSON.stringify(`${guarded.url}/engage.channel.v1.ChannelSender/${method}`)}, { method: "POST", headers: { "content-type": "application/json", "connect-protocol-version": "1" }, body: '{"channelId":"c1"}' }).then((r) => r.status)`,
    );
  for (const method of ["UpdateChannel", "DeleteChannel", "TestChannel", "CreateTask", "RunTask"]) {
    expect([method, await call(method)]).toEqual([method, 403]);
  }
  expect(await call("GetChannel")).toBe(200);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.goto(`${guarded.url}/console/#/tasks`);
  await page.getByText("unsent", { exact: true }).waitFor();
  expect(await page.getByText("New task").count()).toBe(0);
  await page.getByText("unsent", { exact: true }).click();
  await page.getByText("The task has not run yet.").waitFor();
  expect(await page.getByRole("button", { name: "Start" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Cancel the task" }).count()).toBe(0);
  // The form of a new task is hidden too.
  await page.goto(`${guarded.url}/console/#/tasks/new`);
  await page.getByRole("alert").waitFor();
  await close();
});
