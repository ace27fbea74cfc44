import { escapeHtml } from "../../../base/text/escape-html.ts";
import type { Document } from "./markdown.ts";

/** The headings of the first page, by the folder of the pages below them. */
const headings: Readonly<Record<string, string>> = {
  "start/": "Getting started",
  "": "Guides",
  "recipes/": "Recipes",
  "reference/": "Reference",
};

/** Returns the folder of a page with a slash at its end; "" for the first one. */
const folderOf = (name: string): string => name.slice(0, name.lastIndexOf("/") + 1);

/** Lays out a page with the list of the pages of its folder, its contents and the search. */
export function layOut(document: Document, all: readonly Document[]): string {
  const root = "../".repeat(document.name.split("/").length - 1) || "./";
  const contents = document.sections
    .filter(({ depth }) => depth === 2)
    .map(({ heading, anchor }) => `<li><a href="#${escapeHtml(anchor)}">${escapeHtml(heading)}</a></li>`);
  const aside =
    contents.length < 2
      ? ""
      : `<nav class="contents" aria-label="Contents"><ol>${contents.join("")}</ol></nav>`;
  const near = all.filter(({ name }) => folderOf(name) === folderOf(document.name));
  return frame({ root, title: document.title, near, current: document.name, main: document.toHtml(), aside });
}

/** Lays out the first page, which lists all pages. */
export function layOutIndex(all: readonly Document[]): string {
  const entry = ({ name, title, summary }: Document) =>
    `<dt><a href="${escapeHtml(name)}">${escapeHtml(title)}</a></dt><dd>${escapeHtml(summary)}</dd>`;
  const api = '<dt><a href="../docs">API</a></dt><dd>All methods over REST, with their messages.</dd>';
  const folders = Map.groupBy(all, ({ name }) => folderOf(name));
  const lists = [...folders].map(([folder, documents]) => {
    const entries = `${documents.map(entry).join("")}${folder === "reference/" ? api : ""}`;
    return `<h2>${escapeHtml(headings[folder] ?? folder)}</h2><dl>${entries}</dl>`;
  });
  const main = `<h1>Documentation</h1>${lists.join("")}`;
  return frame({ root: "./", title: "Documentation", near: [], current: "", main, aside: "" });
}

interface Frame {
  /** The relative way to the folder of the documentation. */
  readonly root: string;
  readonly title: string;
  /** The pages of the same folder. */
  readonly near: readonly Document[];
  /** The name of the page. */
  readonly current: string;
  readonly main: string;
  readonly aside: string;
}

function frame({ root, title, near, current, main, aside }: Frame): string {
  const link = (name: string, text: string) =>
    `<li><a href="${root}${escapeHtml(name)}"${name === current ? ' aria-current="page"' : ""}>${escapeHtml(text)}</a></li>`;
  const links = [link("", "Documentation"), ...near.map((document) => link(document.name, document.title))];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(title)} · engage</title>
    <link rel="stylesheet" href="${root}docs.css">
    <link rel="icon" type="image/png" href="${root}favicon-32x32.png">
    <script src="${root}docs.js" defer></script>
  </head>
  <body data-root="${root}">
    <header>
      <nav aria-label="Pages"><ul>${links.join("")}<li><a href="${root}../docs">API</a></li></ul></nav>
      <search>
        <input type="search" id="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off">
        <ol id="found" hidden></ol>
        <p id="state" role="status"></p>
      </search>
    </header>
    ${aside}
    <main>
${main}
    </main>
  </body>
</html>
`;
}
