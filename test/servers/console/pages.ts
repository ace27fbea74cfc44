import { expect } from "vitest";
import { accessibilityFaults, type Browser, type Look, type Page, type WatchedPage } from "./browser.ts";

/**
 * Opens an address and gives the page to a check; nothing may have gone wrong in it.
 * @param expectedFault what the check brings about, as the browser notes it
 */
export async function withPage(
  browser: Browser,
  url: string,
  check: (opened: WatchedPage) => Promise<void>,
  look: Look = {},
  expectedFault?: string,
): Promise<void> {
  const opened = await browser.open(look);
  await opened.page.goto(url);
  await check(opened);
  expect(opened.faults.filter((fault) => fault !== expectedFault)).toEqual([]);
  await opened.close();
}

/** Does the same for a page that is readable by all when the check ends. */
export function withReadablePage(
  browser: Browser,
  url: string,
  check: (page: Page) => Promise<void>,
  look: Look = {},
): Promise<void> {
  const checkAll = async ({ page }: WatchedPage): Promise<void> => {
    await check(page);
    expect(await accessibilityFaults(page)).toEqual([]);
  };
  return withPage(browser, url, checkAll, look);
}
