import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../../cmd/config/config.ts";
import { startServer } from "../../../cmd/serve/server.ts";
import { openForAll } from "../../open-for-all.ts";
import { openChromium } from "./chromium.ts";
import { chartsOf, searchDocs, strokeOf, violationsOf } from "./in-page.js";

const opened = openForAll(async (onEnd) => {
  const data = mkdtempSync(join(tmpdir(), "engage-"));
  onEnd(() => rmSync(data, { recursive: true }));
  const env = { ENGAGE_LISTEN: "127.0.0.1:0", ENGAGE_LOG_LEVEL: "silent", ENGAGE_DATA: data };
  const engage = await startServer(loadConfig({ env, cwd: process.cwd() }).config);
  onEnd(() => engage.stop());
  const chromium = await openChromium();
  onEnd(() => chromium[Symbol.asyncDispose]());
  return { url: engage.address.url, chromium };
});

test("the documentation is searched in the browser, under its policy", async () => {
  const { url, chromium } = opened();
  const page = await chromium.newPage();
  expect((await page.goto(`${url}/docs/reference/errors`))?.status()).toBe(200);
  const found = await page.evaluate(searchDocs, "maxPendingAgeMs inbox");
  expect(found.state).toBe("1 place");
  expect(found.links).toEqual([`${url}/docs/reference/configuration#webhookinbox`]);
  expect((await page.goto(found.links[0]!))?.status()).toBe(200);
  expect(await page.evaluate(searchDocs, "no-such-word")).toEqual({ state: "0 places", links: [] });
  const many = await page.evaluate(searchDocs, "query");
  expect(many.links).toHaveLength(20);
  expect(many.state).toMatch(/^20 of \d+ places$/);
  expect(await page.evaluate(violationsOf, `${url}/docs/docs.js`)).toEqual([]);
});

const cpuColours = [
  ["light", "rgb(11, 87, 194)"],
  ["dark", "rgb(122, 176, 255)"],
] as const;

test("the charts of the documentation are drawn, in a page and opened by themselves", async () => {
  const { url, chromium } = opened();
  const page = await chromium.newPage();
  await page.goto(`${url}/docs/performance`);
  const charts = await page.evaluate(chartsOf, undefined);
  expect(charts.length).toBeGreaterThan(10);
  expect(charts.filter(({ width }) => width !== 720)).toEqual([]);
  expect(await page.evaluate(violationsOf, `${url}/docs/docs.js`)).toEqual([]);
  expect((await page.goto(charts[0]!.url))?.status()).toBe(200);
  for (const [colorScheme, colour] of cpuColours) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await page.evaluate(strokeOf, "path.cpu")]).toEqual([colorScheme, colour]);
  }
});
