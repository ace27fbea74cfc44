import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../../base/package/root.ts";
import { openHttpServer } from "../../services/webhook/targets/http-server.ts";
import { type Look, openBrowser, type Page } from "./browser.ts";
import { sendRecords, someRecords } from "./events.ts";
import { openExamplePush } from "./example-push.ts";
import { allowLoopback } from "./receiver.ts";
import { openServed, secret } from "./served.ts";

/**
 * Writes pictures of the console's pages, with data that real clients send, to docs/console:
 * `node test/servers/console/screenshots.ts [NAME...]` after `npm ci --prefix test/servers`.
 */
const folder = join(packageRoot, "docs/console");

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly look: Look;
  /** Waits until the page shows what the picture is of. */
  readonly ready: (page: Page) => Promise<void>;
}

const withChart = (page: Page): Promise<void> => page.locator(".chart canvas").waitFor();

/** Logins by city, compared with the week before. */
const compared = {
  projectId: 1,
  eventView: {
    recentDay: "0-7",
    timeParticleSize: "day",
    comparedByTime: true,
    comparedRecentDay: "7-13",
    groupBy: [{ columnName: "city", tableType: "event" }],
    filts: [{ columnName: "city", tableType: "event", comparator: "equal", ftv: ["Berlin", "Paris"] }],
  },
  events: [{ type: "normal", eventName: "login", analysis: "TRIG_USER_NUM" }],
};
const queryPath = `query?${new URLSearchParams({ q: JSON.stringify(compared) })}`;

const pictures: readonly Picture[] = [
  { name: "overview", path: "", look: { colorScheme: "light" }, ready: withChart },
  { name: "overview-dark", path: "", look: { colorScheme: "dark" }, ready: withChart },
  { name: "overview-narrow", path: "", look: { width: 360, height: 800 }, ready: withChart },
  { name: "query", path: queryPath, look: { height: 1_000 }, ready: withChart },
  {
    name: "deliveries",
    path: "deliveries",
    look: {},
    ready: (page) => page.locator("tbody tr").first().waitFor(),
  },
  { name: "delivery", path: "deliveries?target=crm", look: { height: 1_400 }, ready: openDelivery },
  {
    name: "settings",
    path: "settings?show=configuration&path=limits",
    look: {},
    ready: (page) => page.locator("tbody tr").first().waitFor(),
  },
  {
    name: "dead-letters",
    path: "dead-letters",
    look: {},
    ready: (page) => page.locator("tbody tr").first().waitFor(),
  },
  {
    name: "events",
    path: "events",
    look: {},
    ready: (page) => page.locator("tbody tr").first().waitFor(),
  },
  { name: "parser", path: "parser", look: { height: 1_200 }, ready: tryExample },
  { name: "receivers", path: "receivers", look: {}, ready: checkReceiver },
  {
    name: "channel",
    path: "channels/c1",
    look: {},
    ready: (page) => page.locator("main .form").waitFor(),
  },
  {
    name: "task",
    path: "tasks/t1",
    look: {},
    ready: (page) => page.locator(".tasks-funnel tbody tr").first().waitFor(),
  },
];

/** Opens the page of a message that its target does not accept. */
async function openDelivery(page: Page): Promise<void> {
  await page.locator("tbody th a").first().click();
  await page.locator(".timeline li:nth-child(2)").waitFor();
}

/** Parses the lines that the page offers. */
async function tryExample(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Try an example" }).click();
  await page.locator(".parser-line").first().waitFor();
}

/** Checks the server's own receiver, which does not know the push id that must fail. */
async function checkReceiver(page: Page): Promise<void> {
  await page.getByLabel("Address").fill(`${served.url}/webhook/mail`);
  await page.getByLabel("Secret", { exact: true }).fill(secret);
  await page.getByText("More settings").click();
  await page.getByLabel("A push id that must fail").fill("nobody");
  await page.getByText("More settings").click();
  await page.getByRole("button", { name: "Check the receiver" }).click();
  await page.locator(".receivers-fault").first().waitFor();
}

mkdirSync(folder, { recursive: true });
await using target = await openHttpServer();
target.answer = (response) => response.writeHead(503).end('{"error":"the list is closed until noon"}');
await using served = await openServed(allowLoopback, {}, { name: "crm", ...target });
await using browser = await openBrowser();
const names = Array.from({ length: 40 }, (_, i) => `user-${i + 1}`);
let batches = 0;
const sending = setInterval(() => {
  batches++;
  void served.sendBatch("mail", `r-${batches}`, names.slice(0, 5 + ((batches * 7) % 30)));
}, 200);
await sendRecords(served, someRecords());
await served.sendBatch("broken", "r-broken", names.slice(0, 3));
await served.sendBatch("crm", "r-crm", names.slice(0, 2));
await using _push = await openExamplePush(served.url);
const wanted = process.argv.slice(2);
for (const { name, path, look, ready } of pictures) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { page, close } = await browser.open({ height: 900, ...look });
  await page.goto(`${served.url}/console/#/${path}`);
  await ready(page);
  // The line of rates needs some points.
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  const file = join(folder, `${name}.png`);
  await page.screenshot({ path: file });
  process.stdout.write(`${file} ${statSync(file).size} bytes\n`);
  await close();
}
clearInterval(sending);
