import { loadavg } from "node:os";
import { openBrowser, type Page } from "./browser.ts";
import { openServed } from "./served.ts";

/**
 * Measures how long the first page takes from the navigation until it shows its numbers, in a browser without a cache:
 * `node test/servers/console/first-page.ts [ROUNDS]` after `npm ci --prefix test/servers`.
 */
const rounds = Number(process.argv[2] ?? 15);

/** Notes when the numbers of the overview appear, in ms since the navigation. */
const watchNumbers = `{
  const observer = new MutationObserver(() => {
    if (document.querySelector(".summary") === null) return;
    observer.disconnect();
    requestAnimationFrame(() => { globalThis.usableMs = performance.now(); });
  });
  observer.observe(document, { childList: true, subtree: true });
}`;

interface Load {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
}

interface Visit {
  readonly usableMs: number;
  readonly paintMs: number;
  readonly loads: readonly Load[];
}

const readVisit = `new Promise((resolve) => {
  const poll = () => globalThis.usableMs === undefined ? setTimeout(poll, 5) : resolve({
    usableMs: globalThis.usableMs,
    paintMs: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
    loads: performance.getEntriesByType("resource").map((one) => ({
      name: one.name.replace(/.*\\//, ""), startMs: one.startTime, endMs: one.responseEnd,
    })),
  });
  poll();
})`;

async function visit(page: Page, url: string): Promise<Visit> {
  await page.addInitScript(watchNumbers);
  await page.goto(`${url}/console/`);
  return page.evaluate<Visit>(readVisit);
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

await using served = await openServed("");
await using browser = await openBrowser();
await served.sendBatch("mail", "r-1", ["ann", "bob"]);
await served.settled("mail");
const visits: Visit[] = [];
for (let round = 0; round < rounds; round++) {
  const { page, close } = await browser.open();
  visits.push(await visit(page, served.url));
  await close();
}
const last = visits.at(-1);
for (const { name, startMs, endMs } of last?.loads ?? []) {
  process.stdout.write(`${startMs.toFixed(0).padStart(6)} ${endMs.toFixed(0).padStart(6)}  ${name}\n`);
}
const usable = visits.map(({ usableMs }) => usableMs);
const load = loadavg()[0]?.toFixed(1);
process.stdout.write(
  `usable after ${medianOf(usable).toFixed(0)} ms (${Math.min(...usable).toFixed(0)} to ${Math.max(...usable).toFixed(0)}), ` +
    `first paint after ${medianOf(visits.map(({ paintMs }) => paintMs)).toFixed(0)} ms; ${rounds} visits, load ${load}\n`,
);
