import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { contentSecurityPolicy } from "../../../gateway/pages/content-security-policy.ts";
import { createFixedPage } from "../../../gateway/pages/fixed-page.ts";
import type { PageHandler } from "../../../gateway/pages/pages.ts";
import { layOut, layOutIndex } from "./layout.ts";
import { type Document, readDocument } from "./markdown.ts";
import { script } from "./script.ts";
import { style } from "./style.ts";

/** A part of a page that a search can find. */
interface SearchEntry {
  readonly page: string;
  readonly title: string;
  readonly heading: string;
  readonly anchor: string;
  readonly text: string;
}

const checkedEachTime = { "cache-control": "no-cache" } as const;
const pageHeaders = {
  ...checkedEachTime,
  "content-security-policy": contentSecurityPolicy(),
  "referrer-policy": "no-referrer",
} as const;

/** The folders with pages, in the order of the first page. */
const parts = ["start/", "", "recipes/", "reference/"] as const;

/**
 * Reads the Markdown files of a folder and of those of its folders that have pages, and returns their pages by their
 * paths within the documentation. A page is rendered when it is first requested.
 */
export async function openSite(folder: string): Promise<ReadonlyMap<string, PageHandler>> {
  const documents = await listDocuments(folder);
  const html = (write: () => string) =>
    createFixedPage(async () => Buffer.from(write()), "text/html; charset=utf-8", pageHeaders);
  const file = (text: () => string, contentType: string) =>
    createFixedPage(async () => Buffer.from(text()), contentType, checkedEachTime);
  return new Map([
    ["", html(() => layOutIndex(documents))],
    ["docs.css", file(() => style, "text/css; charset=utf-8")],
    ["docs.js", file(() => script, "text/javascript; charset=utf-8")],
    ["search.json", file(() => JSON.stringify(documents.flatMap(entriesOf)), "application/json")],
    ...documents.map((document) => [document.name, html(() => layOut(document, documents))] as const),
  ]);
}

/** Reads the pages of a folder, in the order of the first page. */
export async function listDocuments(folder: string): Promise<readonly Document[]> {
  const names = (await Promise.all(parts.map((part) => listPages(folder, part)))).flat();
  return await Promise.all(
    names.map(async (name) => readDocument(name, await readFile(join(folder, `${name}.md`), "utf8"), names)),
  );
}

async function listPages(folder: string, part: string): Promise<readonly string[]> {
  if (!existsSync(join(folder, part))) return [];
  const files = await readdir(join(folder, part));
  return files
    .filter((file) => file.endsWith(".md"))
    .map((file) => `${part}${file.slice(0, -3)}`)
    .sort();
}

function entriesOf({ name, title, sections }: Document): readonly SearchEntry[] {
  return sections.map(({ heading, anchor, text }) => ({ page: name, title, heading, anchor, text }));
}
