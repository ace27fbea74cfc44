import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, openBrowser } from "./browser.ts";
import { token, withToken } from "./events.ts";
import { openServed, type Served, secret } from "./served.ts";

let served: Served;
let browser: Browser;

/** Runs in a page that takes it for HTML, or for an address. */
const hostile = `"><img src=x onerror="window.ran=1"><script>window.ran=1</script>`;
const address = "javascript:window.ran=1";

async function post(path: string, body: unknown): Promise<number> {
  const response = await fetch(`${served.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}

beforeAll(async () => {
  [served, browser] = await Promise.all([openServed(withToken), openBrowser()]);
  await served.sendBatch("mail", hostile, [hostile, address]);
  await post(`/webhook/${encodeURIComponent(hostile)}`, [hostile, secret]);
  await post("/webhook/mail", [address]);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
});

test.each([
  ["deliveries", '"><img'],
  ["deliveries?show=batches", '"><img'],
  ["deliveries?show=refused", "there is no channel"],
  [`deliveries?${new URLSearchParams({ channel: hostile, target: address })}`, "No "],
  [`dead-letters/${encodeURIComponent(hostile)}`, "is unknown"],
  [`channels/${encodeURIComponent(address)}`, "Channel"],
  [`tasks/${encodeURIComponent(hostile)}`, "Task"],
])("what strangers write is text on %s", async (place, shown) => {
  const { page, close } = await browser.open();
  await page.goto(`${served.url}/console/#/${place}`);
  await page.getByText(shown).first().waitFor({ state: "attached" });
  expect(await page.evaluate("window.ran")).toBeUndefined();
  expect(await page.locator('main img, main script, a[href^="javascript:"]').count()).toBe(0);
  await close();
});
