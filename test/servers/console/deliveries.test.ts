import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpServer, type TestHttpServer } from "../../services/webhook/targets/http-server.ts";
import { accessibilityFaults, type Browser, type Look, openBrowser, type Page } from "./browser.ts";
import { testLive } from "./deliveries/live.ts";
import { keys, signIn, withKeys } from "./keys.ts";
import { withReadablePage } from "./pages.ts";
import { openServed, type Served } from "./served.ts";

let target: TestHttpServer;
let served: Served;
let browser: Browser;

beforeAll(async () => {
  target = await openHttpServer();
  target.answer = (response) => response.writeHead(409).end("the list is closed");
  [served, browser] = await Promise.all([openServed("", {}, { name: "crm", ...target }), openBrowser()]);
  await served.sendBatch("mail", "r-mail", ["ann", "bob"]);
  await served.sendBatch("crm", "r-crm", ["cid", "dan", ""]);
  await Promise.all([served.settled("mail"), served.settled("crm")]);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

const inPage = (place: string, check: (page: Page) => Promise<void>, look: Look = {}): Promise<void> =>
  withReadablePage(browser, `${served.url}/console/#/${place}`, check, look);

const row = (page: Page, pushId: string) => page.getByRole("link", { name: pushId, exact: true });
const rows = (page: Page) => page.locator("tbody th").allTextContents();
const listed = "tbody tr";

describe("the list", () => {
  test("has the newest messages first, and every filter in the URL", async () => {
    await inPage("deliveries", async (page) => {
      await row(page, "ann").waitFor();
      expect(await rows(page)).toEqual(["cid", "dan", "ann", "bob"]);
      await page.getByLabel("State").selectOption("dead");
      await row(page, "ann").waitFor({ state: "detached" });
      await page.getByLabel("Reason").fill("HTTP 409");
      await page.getByLabel("Channel").fill("crm");
      await page.getByLabel("Target").fill("crm");
      await page.getByLabel("Request id").fill("r-crm");
      await page.getByLabel("Accepted from").fill("2026-01-02T03:04:05");
      await page.getByLabel("Accepted before").fill("2126-01-02T03:04:05");
      await page.getByLabel("Push id").fill("dan");
      await row(page, "cid").waitFor({ state: "detached" });
      await row(page, "dan").waitFor();
      const [, query = ""] = page.url().split("?");
      expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
        channel: "crm",
        from: "2026-01-02T02:04:05.000Z",
        push: "dan",
        reason: "HTTP 409",
        request: "r-crm",
        state: "dead",
        target: "crm",
        until: "2126-01-02T02:04:05.000Z",
      });
      await page.reload();
      await row(page, "dan").waitFor();
      expect(await rows(page)).toEqual(["dan"]);
      await page.getByLabel("Push id").fill("nobody");
      await page.getByText("Nothing matches these filters.").waitFor();
    });
  });

  test("says which filter is wrong", async () => {
    const { page, close } = await browser.open();
    const query = "from=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z";
    await page.goto(`${served.url}/console/#/deliveries?${query}`);
    await page.getByText("filter.accepted_until is not after accepted_from").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await close();
  });

  test("has batches with the counts of their targets", async () => {
    await inPage("deliveries?show=batches&channel=crm", async (page) => {
      await page.locator(listed).first().waitFor();
      expect(await page.locator(listed).allTextContents()).toEqual([
        expect.stringMatching(/crmr-crm.*crmGiven up 2$/),
      ]);
    });
  });
});

describe("the page of a message", () => {
  test("shows what was sent, its signature, its attempts and the reply", async () => {
    await inPage("deliveries?push=dan", async (page) => {
      await row(page, "dan").click();
      await page.getByRole("heading", { name: "Delivery", exact: true }).waitFor();
      await page.getByRole("heading", { name: "The reply as it was sent" }).waitFor();
      expect(page.url()).toMatch(/#\/deliveries\/delivery\/./);
      expect(await page.locator(".timeline li").allTextContents()).toEqual([
        expect.stringMatching(/^Refused for goodAttempt 1.*HTTP 409.*the list is closed/),
      ]);
      await page.getByText("Matches", { exact: true }).waitFor();
      expect(await page.locator(".json").first().textContent()).toContain('"Hello dan"');
      const [body, reply] = await page.locator(".bytes pre").allTextContents();
      expect(body).toMatch(/^\[\{"push_id":"cid",.*\}\]$/);
      expect(reply).toContain('"fail_list":[{"index":3,"message":"push_id is required"}]');
      await page.getByRole("button", { name: "Hexadecimal" }).first().click();
      expect(await page.locator(".bytes pre").first().textContent()).toMatch(
        /^00000000 {2}5b 7b 22 70 75 73 68 5f 69 64 22 3a 22 63 69 64 {2}\[\{"push_id":"cid\n/,
      );
    });
  });

  test("says that an unknown one is not there", async () => {
    const { page, close } = await browser.open();
    await page.goto(`${served.url}/console/#/deliveries/delivery/nope`);
    await page.getByText('delivery_id "nope" is unknown or no longer kept').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await close();
  });

  test("cuts a long body and shows all of it", async () => {
    const pushIds = Array.from({ length: 40 }, (_, at) => `user-${at}-${"x".repeat(at)}`);
    await served.sendBatch("mail", "r-long", pushIds);
    await inPage("deliveries?show=batches&request=r-long", async (page) => {
      await page.locator("tbody th a").click();
      await page.getByRole("heading", { name: "40 messages" }).waitFor();
      expect(await page.locator(".deliveries-element").count()).toBe(25);
      await page.getByRole("button", { name: "Show more of the other 15" }).click();
      expect(await page.locator(".deliveries-element").count()).toBe(40);
      await page.getByText(/^1,024 of/).waitFor();
      await page.getByRole("button", { name: "Show more", exact: true }).click();
      const text = (await page.locator(".bytes pre").first().textContent()) ?? "";
      expect(JSON.parse(text)).toHaveLength(40);
    });
  });
});

test("the page of a batch shows each message with its targets and attempts", async () => {
  await inPage("deliveries?show=batches&request=r-crm", async (page) => {
    await page.locator("tbody th a").click();
    await page.getByRole("heading", { name: "3 messages" }).waitFor();
    expect(await page.locator(".deliveries-element").allTextContents()).toEqual([
      expect.stringMatching(/^Message 1.*Given up ?cid at crm.*HTTP 409/),
      expect.stringMatching(/^Message 2.*Given up ?dan at crm.*HTTP 409/),
      expect.stringMatching(/^Message 3Not accepted ?push_id is required/),
    ]);
    await page.getByRole("button", { name: "Replay what was given up" }).click();
    await page.getByText("2 messages that were given up will be sent again.").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Cancel" }).click();
  });
});

describe("a replay", () => {
  test("of one is counted first, and its page follows it", async () => {
    target.answer = (response) => response.writeHead(204).end();
    const replayOne = async (page: Page): Promise<void> => {
      await row(page, "dan").click();
      await page.getByRole("button", { name: "Replay" }).click();
      await page.getByText("1 message that was given up will be sent again.").waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole("button", { name: "Replay 1 message" }).click();
      await page.getByText("1 message waits for its target again.").waitFor();
      await page.keyboard.press("Escape");
      await page.locator(".fact-list dd:first-of-type :text-is('Delivered')").waitFor();
      await page.getByText("before a replay").waitFor();
      expect(await page.locator(".timeline li").count()).toBe(2);
    };
    await inPage("deliveries?push=dan&state=dead", replayOne, { timerSpeed: 10 });
    expect(target.calls.at(-1)!.body).toContain("dan");
  });

  test("of what matches leaves the others alone", async () => {
    await served.sendBatch("broken", "r-broken", ["eve"]);
    await served.settled("broken");
    await inPage("deliveries?channel=crm", async (page) => {
      await page.getByRole("button", { name: "Replay what matches" }).click();
      await page.getByRole("button", { name: "Replay 1 message" }).click();
      await page.getByText("1 message waits for its target again.").waitFor();
      await page.getByRole("button", { name: "Close" }).click();
    });
    await served.settled("crm");
    expect(target.calls.at(-1)!.body).toContain("cid");
    await inPage("deliveries?state=dead", async (page) => {
      await row(page, "eve").waitFor();
      expect(await rows(page)).toEqual(["eve"]);
    });
  });

  test("of all counts all, and is not offered for what is delivered", async () => {
    await inPage("deliveries", async (page) => {
      await page.getByRole("button", { name: "Replay all given up" }).click();
      await page.getByRole("button", { name: "Replay 1 message" }).waitFor();
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByLabel("State").selectOption("delivered");
      await page.getByRole("button", { name: "Replay all given up" }).waitFor({ state: "detached" });
    });
  });
});

testLive(() => served, inPage);

describe("every part", () => {
  const places = [
    "deliveries",
    "deliveries?show=batches",
    "deliveries?show=live",
    "deliveries?show=refused",
  ] as const;
  test.each([
    ...places.map((place) => ({ place, colorScheme: "dark", locale: "zh-CN", width: 360 }) as const),
    { place: "deliveries", colorScheme: "light", locale: "en-US", width: 2_560 } as const,
  ])("is readable by all: %j", async ({ place, ...look }) => {
    const check = async (page: Page): Promise<void> => {
      await page.locator('main [role="tabpanel"] .card').waitFor();
      await page.locator(".loading").waitFor({ state: "detached" });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width);
    };
    await inPage(place, check, look);
  });

  test("of the page of a message fits a narrow screen", async () => {
    const look = { colorScheme: "dark", locale: "zh-CN", width: 360 } as const;
    const check = async (page: Page): Promise<void> => {
      await row(page, "dan").click();
      await page.locator(".bytes").first().waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width);
    };
    await inPage("deliveries?push=dan", check, look);
  });
});

test("before the first message the page says how to send one", async () => {
  await using empty = await openServed("");
  const { page, faults, close } = await browser.open();
  await page.goto(`${empty.url}/console/#/deliveries`);
  await page.getByText("No message has come in yet.").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test("a key that may only read sees everything and is offered no replay", async () => {
  const headers = { "x-api-key": keys.viewer };
  await using guarded = await openServed(withKeys, headers);
  await guarded.sendBatch("broken", "r-1", ["ivy"]);
  await guarded.settled("broken");
  const { page, close } = await browser.open();
  await signIn(page, `${guarded.url}/console/#/deliveries`, keys.viewer);
  await row(page, "ivy").click();
  await page.getByRole("heading", { name: "The reply as it was sent" }).waitFor();
  await page.getByText("Given up").first().waitFor();
  expect(await page.getByRole("button", { name: "Replay" }).count()).toBe(0);
  const response = await fetch(`${guarded.url}/v1/webhook/dead-letters:replay`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: '{"all":true}',
  });
  expect(response.status).toBe(403);
  await close();
});
