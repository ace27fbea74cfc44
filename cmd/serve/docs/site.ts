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

/** Pictures have a style of their own, for light and dark. It applies when one is opened by itself. */
const pictureHeaders = {
  ...checkedEachTime,
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; style-src 'unsafe-inline'",
} as const;

/** The folders with pages, in the order of the first page. */
const parts = ["start/", "", "recipes/", "reference/"] as const;
/** The folders with pictures. */
const pictureParts = ["performance/"] as const;

/**
 * Reads the Markdown files of a folder and of those of its folders that have pages, and returns their pages and the
 * pictures by their paths within the documentation. A page is rendered, and a picture read, when it is first requested.
 */
export async function openSite(folder: string): Promise<ReadonlyMap<string, PageHandler>> {
  const [documents, pictures] = await Promise.all([listDocuments(folder), listPictures(folder)]);
  const html = (write: () => string) =>
    createFixedPage(async () => Buffer.from(write()), "text/html; charset=utf-8", pageHeaders);
  const file = (text: () => string, contentType: string) =>
    createFixedPage(async () => Buffer.from(text()), contentType, checkedEachTime);
  const picture = (name: string) =>
    createFixedPage(() => readFile(join(folder, name)), "image/svg+xml", pictureHeaders);
  return new Map([
    ["", html(() => layOutIndex(documents))],
    ["docs.css", file(() => style, "text/css; charset=utf-8")],
    ["docs.js", file(() => script, "text/javascript; charset=utf-8")],
    ["search.json", file(() => JSON.stringify(documents.flatMap(entriesOf)), "application/json")],
    ...documents.map((document) => [document.name, html(() => layOut(document, documents))] as const),
    ...pictures.map((name) => [name, picture(name)] as const),
  ]);
}

/** Reads the pages of a folder, in the order of the first page. */
export async function listDocuments(folder: string): Promise<readonly Document[]> {
  const pages = await listFiles(folder, parts, ".md");
  const names = pages.map((page) => page.slice(0, -".md".length));
  const served = [...names, ...(await listPictures(folder))];
  return await Promise.all(
    names.map(async (name) => readDocument(name, await readFile(join(folder, `${name}.md`), "utf8"), served)),
  );
}

const listPictures = (folder: string): Promise<readonly string[]> => listFiles(folder, pictureParts, ".svg");

/** Returns the paths of files of these folders with this end, in order. */
async function listFiles(folder: string, of: readonly string[], end: string): Promise<readonly string[]> {
  const found = of.map(async (part) => {
    if (!existsSync(join(folder, part))) return [];
    const files = await readdir(join(folder, part));
    return files
      .filter((file) => file.endsWith(end))
      .map((file) => part + file)
      .sort();
  });
  return (await Promise.all(found)).flat();
}

function entriesOf({ name, title, sections }: Document): readonly SearchEntry[] {
  return sections.map(({ heading, anchor, text }) => ({ page: name, title, heading, anchor, text }));
}
