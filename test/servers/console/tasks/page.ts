import { expect } from "vitest";
import type { Browser, Look, Page, WatchedPage } from "../browser.ts";
import { post } from "../events.ts";
import type { Served } from "../served.ts";

export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true }).first();

/** What tests of the pages of tasks do with the server and the browser of their file. */
export interface TasksPage {
  served(): Served;
  browser(): Browser;
  post<T>(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<T>;
  /** Opens the form of a new task. */
  openNew(look?: Look): Promise<WatchedPage>;
}

export function createTasksPage(served: () => Served, browser: () => Browser): TasksPage {
  return {
    served,
    browser,
    async post<T>(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<T> {
      const response = await post(served().url, path, body, headers);
      expect(response.status).toBe(200);
      return (await response.json()) as T;
    },
    async openNew(look = {}) {
      const opened = await browser().open(look);
      await opened.page.goto(`${served().url}/console/#/tasks/new`);
      await opened.page.locator("main .form").waitFor();
      return opened;
    },
  };
}
