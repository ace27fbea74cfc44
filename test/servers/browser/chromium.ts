import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The part of a page of Playwright that the suites use: its package is installed for them alone. */
export interface BrowserPage {
  goto(url: string): Promise<{ status(): number } | null>;
  evaluate<T, A>(work: (argument: A) => T | Promise<T>, argument: A): Promise<T>;
  content(): Promise<string>;
  emulateMedia(media: { readonly colorScheme: "light" | "dark" }): Promise<void>;
}

interface BrowserContext {
  newPage(): Promise<BrowserPage>;
  close(): Promise<void>;
}

interface Playwright {
  readonly chromium: {
    launchPersistentContext(folder: string, options: object): Promise<BrowserContext>;
  };
}

export interface Chromium extends AsyncDisposable {
  newPage(): Promise<BrowserPage>;
}

/** Debian's browser, to which every name in `.example` is this machine. */
export async function openChromium(): Promise<Chromium> {
  const { chromium } = createRequire(import.meta.url)("playwright-core") as Playwright;
  const folder = mkdtempSync(join(tmpdir(), "engage-chromium-"));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: "/usr/bin/chromium",
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--host-resolver-rules=MAP *.example 127.0.0.1",
    ],
  });
  return {
    newPage: () => context.newPage(),
    async [Symbol.asyncDispose]() {
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
