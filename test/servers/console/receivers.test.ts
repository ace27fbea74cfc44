import { afterAll, beforeAll, expect, test } from "vitest";
import { openReceiverServer } from "../../services/channel/check/receiver-server.ts";
import { receiver as wrong } from "../../services/channel/check/wrong-receivers/counts-from-zero.ts";
import { accessibilityFaults, type Browser, openBrowser, type Page } from "./browser.ts";
import { keys, withKeys } from "./keys.ts";
import { allowLoopback } from "./receiver.ts";
import { openServed, type Served, secret } from "./served.ts";

/** The probes that take seconds. */
const slow = "slow-body throughput";

let served: Served;
let browser: Browser;

beforeAll(async () => {
  [served, browser] = await Promise.all([openServed(allowLoopback), openBrowser()]);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
});

async function openForm(look: Parameters<Browser["open"]>[0], query: string) {
  const opened = await browser.open(look);
  await opened.page.goto(`${served.url}/console/#/receivers?${query}`);
  await opened.page.locator("form.receivers-form").waitFor();
  return opened;
}

function queryOf(url: string, skip = slow): string {
  return new URLSearchParams({ url, skip }).toString();
}

const cellsOf = (page: Page, column: string) => page.locator(`tbody td:${column}`).allTextContents();

test("a right receiver passes, check by check", async () => {
  const { page, faults, close } = await openForm({}, queryOf(`${served.url}/webhook/mail`));
  await page.getByText("Nothing has been sent yet.").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel("Secret", { exact: true }).fill(secret);
  await page.getByRole("button", { name: "Check the receiver" }).click();
  await page.getByText("The receiver keeps to every rule that it must.").waitFor();
  const states = await cellsOf(page, "first-child");
  expect(new Set(states)).toEqual(new Set(["Passed", "Skipped"]));
  expect(await accessibilityFaults(page)).toEqual([]);
  const [command] = await page.locator(".command pre").allTextContents();
  expect(command).toBe(
    `npx engage-server check ${served.url}/webhook/mail --secret-file secret.txt --timeout 10000 --skip slow-body throughput`,
  );
  expect(page.url()).not.toContain(secret);
  expect(await page.evaluate("document.body.innerText")).not.toContain(secret);
  expect(faults).toEqual([]);
  await close();
});

test.each([
  [
    { colorScheme: "light", locale: "en-US", width: 1_280 },
    ["Secret", "Check the receiver", "The receiver breaks 1 rule.", "The call that shows it"],
  ],
  [
    { colorScheme: "dark", locale: "zh-CN", width: 360 },
    ["密钥", "检查接收端", "接收端违反了 1 条规则。", "相关的调用"],
  ],
] as const)("a wrong one is told what to change: %j", async (look, [field, button, broken, call]) => {
  const { page, faults, close } = await openForm(look, queryOf(await openReceiverServer(wrong)));
  await page.getByLabel(field, { exact: true }).fill("a secret of the test");
  await page.getByRole("button", { name: button }).click();
  await page.getByText(broken).waitFor();
  const fault = page.locator(".receivers-fault");
  expect(await fault.textContent()).toContain("Set index to the position in the request's array plus 1.");
  await page.getByText(call).click();
  expect(await page.locator(".receivers-exchange pre").allTextContents()).toEqual([
    expect.stringContaining("5 messages"),
    expect.stringContaining("HTTP 200"),
  ]);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test("a run is stopped, and another one begins", async () => {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const silent = await openReceiverServer(() => {
    resolve();
    return new Promise(() => undefined);
  });
  const { page, faults, close } = await openForm({}, queryOf(silent));
  await page.getByLabel("Secret", { exact: true }).fill(secret);
  await page.keyboard.press("Enter");
  await reached;
  await page.getByText("Running").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Ended after 0 of").waitFor();
  await page.getByLabel("Address").fill(`${served.url}/webhook/mail`);
  await page.getByRole("button", { name: "Check the receiver" }).click();
  await page.getByText("The receiver keeps to every rule that it must.").waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("an address that may not be called is named, with the setting", async () => {
  const { page, close } = await openForm({}, queryOf("http://10.0.0.1/hook"));
  await page.getByLabel("Secret", { exact: true }).fill(secret);
  await page.getByRole("button", { name: "Check the receiver" }).click();
  const alert = page.getByRole("alert");
  await alert.waitFor();
  expect(await alert.textContent()).toMatch(/url is refused: .* channel\.outbound\.allow/);
  await close();
});

test("a key that may only read gets the command instead of the form", async () => {
  await using guarded = await openServed(withKeys);
  const { page, close } = await browser.open();
  await page.goto(`${guarded.url}/console/#/receivers`);
  await page.getByLabel("Key").fill(keys.viewer);
  await page.keyboard.press("Enter");
  await page.getByText("The key in use may only read").waitFor();
  expect(await page.locator("form.receivers-form").count()).toBe(0);
  await page.locator(".command pre").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await close();
});
