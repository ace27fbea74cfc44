import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openHttpServer, type TestHttpServer } from "../../services/webhook/targets/http-server.ts";
import { accessibilityFaults, type Browser, type Look, openBrowser, type Page } from "./browser.ts";
import { keys, signIn, withKeys } from "./keys.ts";
import { withReadablePage } from "./pages.ts";
import { openServed, type Served, secret } from "./served.ts";

let target: TestHttpServer;
let served: Served;
let browser: Browser;

/** The replies of the target: to messages, and to clicks as the platform's ingest. */
const replies = { message: 409, click: '{"code":-1,"msg":"no such event"}' };
const json = { "content-type": "application/json" };

const post = (path: string, body: string, headers: Readonly<Record<string, string>> = json) =>
  fetch(served.url + path, { method: "POST", headers, body });

/** How many dead letters of each kind there are, in the order of the kinds. */
async function counts(): Promise<readonly string[]> {
  const response = await fetch(`${served.url}/v1/dead-letter-kinds`);
  const { kinds } = (await response.json()) as { kinds: { count: string }[] };
  return kinds.map(({ count }) => count);
}

beforeAll(async () => {
  target = await openHttpServer();
  target.answer = (response, { url }) =>
    url === "/sync_server" ? response.end(replies.click) : response.writeHead(replies.message).end("closed");
  const crm = { name: "crm", port: target.port, url: target.url, takesClicks: true };
  const parser =
    'parser: { store: { project: 1 }, formats: [{ name: g, index: "g.log", type: pass_through }] }\n';
  [served, browser] = await Promise.all([openServed(parser, {}, crm), openBrowser()]);
  await served.sendBatch("crm", "r-1", ["ann", "bob"]);
  await served.settled("crm");
  await post("/v1/webhook/clicks", '{"pushId":"ann","uuid":"click-1","#ops_receipt_properties":{}}');
  const lines = Buffer.from("g.log|ta|no JSON::other.log|ta|a line").toString("base64");
  await post("/proto.Parser/Parse", JSON.stringify({ content: lines }));
  const record =
    '{"#type":"track","#event_name":"log in","#account_id":"ann","#time":"2026-01-02 03:04:05","n":9007199254740993}';
  await post("/sync_server", `[${record}]`, { ...json, appid: "app", compress: "none" });
  await vi.waitUntil(async () => `${await counts()}` === "2,1,2,1", { timeout: 20_000 });
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

const inPage = (place: string, check: (page: Page) => Promise<void>, look: Look = {}): Promise<void> =>
  withReadablePage(browser, `${served.url}/console/#/dead-letters${place}`, check, look);

const reasons = 'section:has(h2:text-is("Reasons")) tbody tr';
const letters = 'section:has(h2:text-is("Dead letters")) tbody tr';

const kinds = [
  ["", "Messages (2)", /^HTTP 409.*crmcrm2/, /crmcrmHTTP 409.*bob$/],
  ["?kind=click", "Clicks (1)", /^refused1.*no such event/, /refused.*click-1/],
  [
    "?kind=parser&reason=no_format",
    "Lines (2)",
    /^(?:no_format|invalid_json)1/,
    /other\.logno_formata line$/,
  ],
  ["?kind=record", "Records (1)", /^event_name11.*#event_name/, /1event_name.*9007199254740993/],
] as const;

describe("the page", () => {
  test("shows the reasons of each kind with an example, and what they are", async () => {
    await inPage("", async (page) => {
      for (const [place, tab, reason, letter] of kinds) {
        await page.goto(`${served.url}/console/#/dead-letters${place}`);
        await page.getByRole("tab", { name: tab }).waitFor();
        await page.locator(letters).filter({ hasText: letter }).first().waitFor();
        await page.locator(reasons).filter({ hasText: reason }).first().waitFor();
      }
    });
  });

  test("is readable by all", async () => {
    const look = { colorScheme: "dark", locale: "zh-CN", width: 360 } as const;
    await inPage(
      "",
      async (page) => {
        for (const [place, , , letter] of kinds) {
          await page.goto(`${served.url}/console/#/dead-letters${place}`);
          await page.locator("tbody tr").filter({ hasText: letter }).first().waitFor();
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
          expect(await page.evaluate("document.body.textContent")).not.toContain(secret);
          expect(await accessibilityFaults(page)).toEqual([]);
        }
      },
      look,
    );
  });

  test("has every filter in the URL, and removes them at once", async () => {
    await inPage("?kind=parser", async (page) => {
      await page.getByRole("link", { name: "no_format" }).click();
      await page.locator(letters).first().waitFor();
      await page.getByLabel("Text").fill("other.log");
      await page.getByLabel("Index").fill("other.log");
      await page.getByLabel("From").fill("2026-01-02T03:04:05");
      await page.getByLabel("Before").fill("2126-01-02T03:04:05");
      await page.getByLabel("Order").selectOption("oldest");
      const [, query = ""] = page.url().split("?");
      expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
        kind: "parser",
        reason: "no_format",
        text: "other.log",
        index: "other.log",
        order: "oldest",
        from: "2026-01-02T02:04:05.000Z",
        until: "2126-01-02T02:04:05.000Z",
      });
      await page.reload();
      await page.getByText("a line", { exact: true }).waitFor();
      expect(await page.locator(letters).count()).toBe(1);
      await page.getByLabel("Text").fill("nothing");
      await page.getByText("Nothing matches these filters.").waitFor();
      await page.getByRole("button", { name: "Remove all filters" }).click();
      await page.getByText("no JSON", { exact: true }).waitFor();
      expect(page.url()).toMatch(/\?kind=parser&order=oldest$/);
    });
  });

  test("shows one with all of its content, all digits and what is known", async () => {
    await inPage("?kind=record", async (page) => {
      await page.locator(`${letters} th a`).click();
      await page.getByRole("heading", { name: "Record that a project refused" }).waitFor();
      expect(await page.locator(".json").textContent()).toContain('"n": 9007199254740993');
      expect(await page.locator(".fact-list").textContent()).toContain("event_name");
      await page.getByRole("link", { name: "All dead letters" }).click();
      await page.getByRole("tab", { name: "Records (1)" }).waitFor();
    });
  });

  test("leads from a message to its delivery", async () => {
    await inPage("", async (page) => {
      await page.locator(`${letters} th a`).first().click();
      await page.getByRole("heading", { name: "Message that was given up" }).waitFor();
      expect(await page.locator(".json").textContent()).toContain('"Hello bob"');
      await page.getByRole("link", { name: "bob" }).click();
      await page.getByRole("heading", { name: "Attempts in their order" }).waitFor();
    });
  });

  test("says that one is not there", async () => {
    const { page, close } = await browser.open();
    await page.goto(`${served.url}/console/#/dead-letters/parser.nope`);
    await page.getByText('dead_letter_id "parser.nope" is unknown').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await close();
  });
});

test("an export is a file of JSON lines", async () => {
  await inPage("?kind=parser&reason=no_format", async (page) => {
    await page.locator(letters).first().waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export what matches" }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(/^dead-letters-parser-\d{4}-\d\d-\d\d\.ndjson$/);
    const lines = readFileSync(await file.path(), "utf8").split("\n");
    expect([lines.length, JSON.parse(lines[0]!)]).toMatchObject([2, { reason: "no_format", line: "a line" }]);
  });
});

describe("a replay", () => {
  test("says how many, takes what is refused again back, and why it is", async () => {
    await inPage("?kind=record", async (page) => {
      await page.getByRole("button", { name: "Replay all" }).click();
      await page.getByText("1 dead letter will be handed on again.").waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole("button", { name: "Replay 1" }).click();
      await page.getByText("1 was refused again:").waitFor();
      await page.getByText("0 of 1 were handed on again.").waitFor();
      await page.getByRole("button", { name: "Close" }).click();
      await page.getByRole("tab", { name: "Records (1)" }).waitFor();
    });
  });

  test("of one of the messages leaves the other", async () => {
    replies.message = 200;
    await inPage("", async (page) => {
      await page.locator(`${letters} th a`).first().click();
      await page.getByRole("button", { name: "Replay" }).click();
      await page.getByRole("button", { name: "Replay 1" }).click();
      await page.getByText("1 of 1 was handed on again.").waitFor();
    });
    await expect.poll(counts).toEqual(["1", "1", "2", "1"]);
    await expect.poll(() => target.calls.at(-1)?.body).toContain('"Hello bob"');
  });

  test("of the filtered and of all reaches the target and the platform", async () => {
    replies.click = '{"code":0}';
    const replayFiltered = async (page: Page): Promise<void> => {
      await page.getByRole("button", { name: "Replay what matches" }).click();
      await page.getByRole("button", { name: "Replay 1" }).click();
      await page.getByText("1 of 1 was handed on again.").waitFor();
      await page.getByRole("button", { name: "Close" }).click();
      await page.getByRole("tab", { name: "Messages (0)" }).waitFor();
    };
    await inPage("?channel=crm", replayFiltered, { timerSpeed: 10 });
    await inPage("?kind=click", async (page) => {
      await page.getByRole("button", { name: "Replay all" }).click();
      await page.getByRole("button", { name: "Replay 1" }).click();
      await page.getByText("1 of 1 was handed on again.").waitFor();
    });
    await expect.poll(counts).toEqual(["0", "0", "2", "1"]);
    await expect
      .poll(() => target.calls.filter(({ url }) => url === "/sync_server").length)
      .toBeGreaterThan(1);
    await inPage("", async (page) => {
      await page.getByText("No message was given up.").waitFor();
      expect(await page.locator(".command pre").allTextContents()).toEqual([
        expect.stringContaining(`${served.url}/v1/dead-letters?filter.kind=DEAD_LETTER_KIND_WEBHOOK`),
      ]);
    });
  });
});

test("a key that may only read sees everything and is offered no replay", async () => {
  await using guarded = await openServed(withKeys, { "x-api-key": keys.viewer });
  await guarded.sendBatch("broken", "r-1", ["ann"]);
  await guarded.settled("broken");
  const { page, close } = await browser.open();
  await signIn(page, `${guarded.url}/console/#/dead-letters`, keys.viewer);
  await page.locator(letters).first().waitFor();
  expect(await page.getByRole("button", { name: "Export all" }).count()).toBe(1);
  expect(await page.getByRole("button", { name: "Replay all" }).count()).toBe(0);
  await page.getByRole("tab", { name: "Lines (0)" }).click();
  await page.getByText("No line was refused.").waitFor();
  await close();
});
