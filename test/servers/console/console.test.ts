import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessibilityFaults, type Browser, type Look, openBrowser, type WatchedPage } from "./browser.ts";
import { sendRecords, someRecords, timeBefore } from "./events.ts";
import { withPage } from "./pages.ts";
import { openServed, type Served, secret } from "./served.ts";

let served: Served;
let browser: Browser;

beforeAll(async () => {
  [served, browser] = await Promise.all([openServed(""), openBrowser()]);
  await served.sendBatch("mail", "r-1", ["ann", "bob"]);
  await served.sendBatch("broken", "r-2", ["cid"]);
  await Promise.all([served.settled("mail"), served.settled("broken")]);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
});

const inPage = (path: string, look: Look, check: (opened: WatchedPage) => Promise<void>): Promise<void> =>
  withPage(browser, served.url + path, check, look);

/** The name of the table begins with the same word in both languages. */
const targetRows = '[aria-label^="Webhook"] tbody tr';

const looks = (["light", "dark"] as const).flatMap((colorScheme) =>
  (["en-US", "zh-CN"] as const).flatMap((locale) =>
    [360, 1_280].map((width) => ({ colorScheme, locale, width })),
  ),
);
const titles: Readonly<Record<string, readonly string[]>> = {
  "en-US": ["Overview", "1 message was given up by archive of broken."],
  "zh-CN": ["概览", "broken 的 archive 放弃了 1 条消息。"],
};

describe("the overview", () => {
  test.each([...looks, { colorScheme: "light", locale: "en-US", width: 2_560 } as const])(
    "shows what happened, readable by all: %j",
    async (look) => {
      await inPage("/", look, async ({ page, faults }) => {
        const [title, attention] = titles[look.locale]!;
        await page.getByText(attention!).waitFor();
        expect(await page.locator("h1").allTextContents()).toEqual([title]);
        expect(await page.title()).toBe(`${title} · engage`);
        expect(page.url()).toBe(`${served.url}/console/`);
        expect(await page.locator(targetRows).allTextContents()).toEqual([
          expect.stringMatching(/^brokenarchive.*1010|^brokenarchive.*1001/),
          expect.stringMatching(/^maillog.*2200/),
        ]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width);
        expect(faults).toEqual([]);
        expect(await accessibilityFaults(page)).toEqual([]);
      });
    },
  );

  test("names what was refused today, and leads to it", async () => {
    const json = { "content-type": "application/json" };
    const forged = {
      method: "POST",
      headers: { ...json, "x-svc-ops-signature": "0".repeat(40) },
      body: "[]",
    };
    expect((await fetch(`${served.url}/webhook/mail`, forged)).status).toBe(401);
    const record = { "#type": "track", "#event_name": "1x", "#account_id": "ann", "#time": timeBefore(0) };
    const headers = { ...json, appid: "app", compress: "none" };
    await fetch(`${served.url}/sync_server`, { method: "POST", headers, body: JSON.stringify([record]) });
    await inPage("/console/", { timerSpeed: 10 }, async ({ page }) => {
      await page.getByText("1 record was refused by its project.").waitFor();
      await page.locator('.note:has-text("to a webhook was refused") a').click();
      await page.locator('[role="tab"][aria-selected="true"]:has-text("Refused requests")').waitFor();
    });
  });

  test("follows what comes in, until it is paused", async () => {
    await inPage("/console/", { timerSpeed: 10 }, async ({ page }) => {
      const accepted = page.locator(".summary .item dd").first();
      await page.getByText("Live", { exact: true }).waitFor();
      expect(await page.locator('[aria-label^="Circuit breakers"] tbody tr').allTextContents()).toEqual([
        "archiveClosed",
        "logClosed",
      ]);
      const before = Number(await accepted.textContent());
      await served.sendBatch("mail", "r-3", ["dan", "eve"]);
      await sendRecords(served, someRecords().slice(0, 1));
      await page.locator(`.summary .item:first-child dd:text-is("${before + 2}")`).waitFor();
      await page.locator(".chart canvas").waitFor();
      // Every health after the first record has the number of those that wait.
      await page.getByText("Records to load").waitFor();
      await page.getByText("Show as a table").click();
      await page.getByRole("group", { name: "Messages a second" }).waitFor();
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByText("Paused", { exact: true }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });
  });

  test("says that the connection is lost, keeps what it shows, and heals by itself", async () => {
    const { page, close } = await browser.open({ timerSpeed: 10 });
    await page.goto(`${served.url}/console/`);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.route("**/GetStats", (route) => route.abort());
    await page.getByText("Connection lost").waitFor();
    await page.getByRole("alert").waitFor();
    expect(await page.locator(targetRows).count()).toBe(2);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.unroute("**/GetStats");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await close();
  });
});

test("what needs attention leads to the messages", async () => {
  await inPage("/console/", {}, async ({ page }) => {
    await page.getByText("Find out why, and replay them").click();
    await page.getByRole("heading", { name: "Deliveries" }).waitFor();
    expect(page.url()).toContain("#/deliveries?channel=broken&state=dead&target=archive");
    await page.getByRole("link", { name: "cid" }).waitFor();
    expect(await page.locator("tbody tr").count()).toBe(1);
  });
});

describe("every other page", () => {
  const places = [
    "parser",
    "events",
    "settings",
    "settings?show=configuration",
    "settings?show=keys",
  ] as const;

  test.each(
    places.flatMap((place) => [
      { place, colorScheme: "light", locale: "en-US", width: 1_280 } as const,
      { place, colorScheme: "dark", locale: "zh-CN", width: 360 } as const,
    ]),
  )("is readable by all: %j", async ({ place, ...look }) => {
    await inPage(`/console/#/${place}`, look, async ({ page }) => {
      await page.locator("h1").waitFor();
      await page.locator('main [role="tabpanel"], main section').first().waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width);
      expect(await page.evaluate("document.body.textContent")).not.toContain(secret);
      expect(await accessibilityFaults(page)).toEqual([]);
    });
  });
});

describe("the frame", () => {
  test("is used by keyboard: the first key skips to the content", async () => {
    await inPage("/console/", {}, async ({ page }) => {
      await page.locator("tbody tr").first().waitFor();
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
      await page.keyboard.press("Enter");
      expect(await page.evaluate("document.activeElement.tagName")).toBe("H1");
      await page.keyboard.press("Tab");
      const outline = "getComputedStyle(document.activeElement).outlineStyle";
      expect(await page.evaluate(outline)).toBe("solid");
    });
  });

  test("keeps the chosen language, appearance and zone", async () => {
    await inPage("/console/", { colorScheme: "light" }, async ({ page }) => {
      await page.getByLabel("Time zone").selectOption("UTC");
      await page.getByLabel("Appearance").selectOption("dark");
      await page.getByLabel("Language").selectOption("zh");
      await page.reload();
      await page.getByRole("heading", { name: "概览" }).waitFor();
      expect(await page.evaluate("document.documentElement.lang")).toBe("zh-Hans");
      expect(await page.evaluate("getComputedStyle(document.body).colorScheme")).toBe("dark");
      expect(await page.evaluate('document.querySelector("select").value')).toBe("UTC");
    });
  });

  test("says that a place does not exist", async () => {
    await inPage("/console/#/nothing/here", {}, async ({ page }) => {
      await page.getByRole("heading", { name: "There is no such page" }).waitFor();
      await page.getByText("Nothing of the console is at /nothing/here.").waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByText("Go to the overview").click();
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      // The heading gets the focus once it is on the page.
      await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("H1");
    });
  });

  test("opens its menu on a narrow screen", async () => {
    await inPage("/console/", { width: 360 }, async ({ page }) => {
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByText("API reference").waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });
  });
});

test("before the first message the page says how to send one", async () => {
  await using empty = await openServed("");
  const { page, faults, close } = await browser.open();
  await page.goto(`${empty.url}/console/`);
  await page.getByText("No message has come in yet.").waitFor();
  expect(await page.locator(".command pre").allTextContents()).toEqual([
    expect.stringContaining(`${empty.url}/webhook/demo`),
  ]);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});
