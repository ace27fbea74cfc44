import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** The part of Playwright that these suites use: its package is installed for them alone. */
export interface Locator {
  click(options?: { readonly position: { readonly x: number; readonly y: number } }): Promise<void>;
  fill(text: string): Promise<void>;
  inputValue(): Promise<string>;
  focus(): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  setInputFiles(path: string): Promise<void>;
  waitFor(options?: { readonly state?: "attached" | "detached" | "visible" }): Promise<void>;
  textContent(): Promise<string | null>;
  allTextContents(): Promise<string[]>;
  count(): Promise<number>;
  first(): Locator;
  filter(options: { readonly hasText: RegExp }): Locator;
  last(): Locator;
  nth(index: number): Locator;
  locator(selector: string): Locator;
  getByLabel(text: string, options?: { readonly exact?: boolean }): Locator;
}

interface ConsoleMessage {
  type(): string;
  text(): string;
}

interface Route {
  abort(): Promise<void>;
  fulfill(response: {
    readonly status: number;
    readonly contentType: string;
    readonly body: string;
  }): Promise<void>;
}

interface Dialog {
  message(): string;
  dismiss(): Promise<void>;
}

interface Download {
  path(): Promise<string>;
  suggestedFilename(): string;
}

export interface Page {
  goto(url: string): Promise<{ status(): number } | null>;
  reload(): Promise<unknown>;
  url(): string;
  title(): Promise<string>;
  evaluate<T>(expression: string): Promise<T>;
  addInitScript(script: string): Promise<void>;
  locator(selector: string): Locator;
  getByRole(role: string, options?: { readonly name?: string; readonly exact?: boolean }): Locator;
  getByLabel(text: string, options?: { readonly exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { readonly exact?: boolean }): Locator;
  route(url: string, handler: (route: Route) => Promise<void>): Promise<void>;
  unroute(url: string): Promise<void>;
  waitForEvent(event: "download"): Promise<Download>;
  screenshot(options: { readonly path: string; readonly fullPage?: boolean }): Promise<unknown>;
  readonly keyboard: { press(key: string): Promise<void> };
  on(event: "console", listener: (message: ConsoleMessage) => void): void;
  on(event: "pageerror", listener: (error: Error) => void): void;
  on(event: "dialog", listener: (dialog: Dialog) => void): void;
}

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: "light" | "dark";
  readonly locale?: string;
  /** How many times faster the timers of the page run, where a test waits for what the page loads by itself. */
  readonly timerSpeed?: number;
}

interface Context extends AsyncDisposable {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

interface BrowserProcess {
  newContext(options: object): Promise<Context>;
  close(): Promise<void>;
}

interface Playwright {
  readonly chromium: { launch(options: object): Promise<BrowserProcess> };
}

/** A page with what went wrong in it so far: broken policies, errors and failed loads. */
export interface WatchedPage {
  readonly page: Page;
  readonly faults: string[];
  /** Opens another page with the same cookies. */
  readonly open: () => Promise<Page>;
  close(): Promise<void>;
}

export interface Browser extends AsyncDisposable {
  /** Opens a page with cookies of its own. */
  open(look?: Look): Promise<WatchedPage>;
}

/** Debian's browser, to which every name in `.example` is this machine. */
export async function openBrowser(): Promise<Browser> {
  const { chromium } = require("playwright-core") as Playwright;
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--host-resolver-rules=MAP *.example 127.0.0.1",
    ],
  });
  return {
    async open({
      width = 1_280,
      height = 800,
      colorScheme = "light",
      locale = "en-US",
      timerSpeed = 1,
    } = {}) {
      const viewport = { width, height };
      const options = { viewport, colorScheme, locale, timezoneId: "Europe/Berlin", reducedMotion: "reduce" };
      const context = await browser.newContext(options);
      const page = await context.newPage();
      await page.addInitScript(speedUpTimers(timerSpeed));
      return { page, faults: await watch(page), open: () => context.newPage(), close: () => context.close() };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

const speedUpTimers = (speed: number): string => `{
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (run, ms, ...values) => setTimeout(run, ms / ${speed}, ...values);
}`;

async function watch(page: Page): Promise<string[]> {
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("dialog", (dialog) => {
    faults.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.addInitScript(
    'addEventListener("securitypolicyviolation", (e) => console.error("policy", e.violatedDirective, e.blockedURI))',
  );
  return faults;
}

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** Returns what axe finds on a page, in words. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(`${axe}; undefined`);
  return page.evaluate(
    'axe.run(document).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html.slice(0, 120), failureSummary].join(" "))))',
  );
}
