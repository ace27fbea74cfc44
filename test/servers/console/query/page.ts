import { expect } from "vitest";
import type { Browser, Look, Page } from "../browser.ts";
import { analyze, dayBefore } from "../events.ts";
import { withPage } from "../pages.ts";
import type { Served } from "../served.ts";

export interface QueryBody {
  readonly [name: string]: unknown;
  readonly eventView: Readonly<Record<string, unknown>>;
}

/** The last seven days by their dates, so that they stay the same at midnight. */
const days = { startTime: dayBefore(6), endTime: dayBefore(0), timeParticleSize: "day" };
export const logins = { type: "normal", eventName: "login", analysis: "TOTAL_TIMES" };
export const query = (more: object = {}, events: readonly object[] = [logins]): QueryBody => ({
  projectId: 1,
  eventView: { ...days, ...more },
  events,
});

/** The numbers of the table as they stand in it, by row. */
export async function numbersIn(page: Page): Promise<readonly (readonly string[])[]> {
  await page.locator(".query-grid tbody tr").first().waitFor();
  return page.evaluate(
    '[...document.querySelectorAll(".query-grid tbody tr")].map((row) => [...row.querySelectorAll("button")].map((cell) => cell.textContent))',
  );
}

export const jsonOf = async (page: Page): Promise<string> => {
  await page.getByRole("tab", { name: "JSON" }).click();
  return page.getByLabel("Request", { exact: true }).inputValue();
};

export const metric = (page: Page) => page.locator("fieldset.item").first();

interface Entry {
  readonly values: readonly string[];
  readonly values_compared?: readonly string[];
}

/** The browser notes each call that is refused, which the page shows too. */
const refusedCall = "Failed to load resource: the server responded with a status of 400 (Bad Request)";

/** What tests of the page of queries do with the server and the browser of their file. */
export interface QueryPage {
  served(): Served;
  /** Returns the address of a query in the console. */
  linkOf(body: QueryBody, more?: Readonly<Record<string, string>>): string;
  inPage(url: string, check: (page: Page) => Promise<void>, look?: Look): Promise<void>;
  /** Returns the numbers of a query as another client gets them. */
  numbersOf(body: QueryBody | string): Promise<readonly (readonly string[])[]>;
  /** Waits until the table has the numbers of a query. */
  showsNumbersOf(page: Page, body: QueryBody | string): Promise<void>;
}

export function createQueryPage(served: () => Served, browser: () => Browser): QueryPage {
  async function numbersOf(body: QueryBody | string): Promise<readonly (readonly string[])[]> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const { y } = (await analyze(served(), "event-analyze", text)) as {
      readonly y: readonly Readonly<Record<string, readonly Entry[]>>[];
    };
    return y.flatMap((metric) =>
      Object.values(metric)
        .flat()
        .flatMap(({ values, values_compared: compared }) => (compared ? [values, compared] : [values]))
        .map((values) => values.map((value) => value.replace(/^-$/, "–"))),
    );
  }
  return {
    served,
    linkOf: (body, more = {}) =>
      `${served().url}/console/#/query?${new URLSearchParams({ q: JSON.stringify(body), ...more })}`,
    inPage: (url, check, look = {}) => withPage(browser(), url, ({ page }) => check(page), look, refusedCall),
    numbersOf,
    async showsNumbersOf(page, body) {
      const expected = await numbersOf(body);
      await expect.poll(() => numbersIn(page), { timeout: 20_000 }).toEqual(expected);
    },
  };
}
