import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { createDocs } from "../../../../cmd/serve/docs/docs.ts";
import { createApiPages } from "../../../../gateway/openapi/pages.ts";
import { createPages } from "../../../../gateway/pages/pages.ts";
import { openForAll } from "../../../open-for-all.ts";

/** Serves the documentation of a folder next to the pages of the API. */
const open = (folder?: string) =>
  openForAll(async (onEnd) => {
    const pages = createPages({
      isDraining: () => false,
      checks: () => ({}),
      metrics: { contentType: "text/plain", text: async () => "" },
      pages: createApiPages(async () => ({})),
      folders: [createDocs(folder)],
      reportFault: (error) => {
        throw error;
      },
    });
    const server = createServer((request, response) => {
      if (!pages.serve(request.url ?? "", request, response)) response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onEnd(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

const folder = mkdtempSync(join(tmpdir(), "engage-docs-"));
const guide = `<!-- a note -->

# A *guide*

The first words, with [errors](reference/errors.md#two), the [code](../cmd/main.ts) and
[a site](https://example.com/).

![A chart](performance/chart.svg) ![Another](performance/none.svg) ![A photo](console/photo.png)
![A page](reference/errors.md) ![Elsewhere](https://example.com/a.svg)

## Tables

| a | b |
|---|---|
| \`<script>_a\` | one<br>two <b>bold</b> |

## Again & again

- one
  - two

## Again & again

\`\`\`html
<table></table>
\`\`\`
`;
writeFileSync(join(folder, "guide.md"), guide);
mkdirSync(join(folder, "reference"));
writeFileSync(
  join(folder, "reference", "errors.md"),
  "# Errors\n\nSee [the guide](../guide.md).\n\n## Two\n\nText.\n",
);
mkdirSync(join(folder, "start"));
writeFileSync(join(folder, "start", "first.md"), "# First steps\n\nBegin here.\n");
mkdirSync(join(folder, "performance"));
writeFileSync(join(folder, "performance", "chart.svg"), "<svg/>");
writeFileSync(join(folder, "performance", "figures.json"), "{}");
mkdirSync(join(folder, "decisions"));
writeFileSync(join(folder, "decisions", "0001.md"), "# A decision\n");

describe("the pages of a folder", () => {
  const url = open(folder);
  openForAll(async (onEnd) => onEnd(() => rmSync(folder, { recursive: true })));
  const textOf = async (path: string) => (await fetch(`${url()}${path}`)).text();

  it("are listed on the first one by their folders, with the API", async () => {
    const html = await textOf("/docs/");
    expect(
      [...html.matchAll(/<h2>(.*?)<\/h2><dl><dt><a href="(.*?)">/g)].map((found) => found.slice(1)),
    ).toEqual([
      ["Getting started", "start/first"],
      ["Guides", "guide"],
      ["Reference", "reference/errors"],
    ]);
    expect(html).toContain(
      '<dt><a href="guide">A guide</a></dt><dd>The first words, with errors, the code and a site.</dd>',
    );
    expect(html).toContain('<a href="reference/errors">Errors</a>');
    expect(html).toContain('<a href="../docs">API</a>');
    expect(html).not.toContain("decision");
  });

  it("have anchors, links to pages only, tables and code, and no markup of their own", async () => {
    const html = await textOf("/docs/guide");
    expect(html).toContain("<title>A guide · engage</title>");
    expect(html).toContain('<h1 id="a-guide">A <em>guide</em></h1>');
    expect(html).toContain('<h2 id="again--again">Again &amp; again</h2>');
    expect(html).toContain('<h2 id="again--again-1">');
    expect(html).toContain('<li><a href="#again--again-1">Again &amp; again</a></li>');
    expect(html).toContain('<a href="reference/errors#two">errors</a>, the code and');
    expect(html).toContain('<a href="https://example.com/">a site</a>');
    expect(html).toContain('<div class="table"><table>');
    expect(html).toContain(
      "<td><code>&lt;script&gt;_<wbr>a</code></td>\n<td>one<br>two &lt;b&gt;bold&lt;/b&gt;</td>",
    );
    expect(html).toContain("&lt;table&gt;&lt;/table&gt;");
    expect(html).not.toContain("a note");
    expect(await textOf("/docs/reference/errors")).toContain('<a href="../guide">the guide</a>');
  });

  it("have the pictures of the documentation, and the texts of others", async () => {
    expect(await textOf("/docs/guide")).toContain(
      '<p><img src="performance/chart.svg" alt="A chart"> Another A photo\nA page Elsewhere</p>',
    );
    const response = await fetch(`${url()}/docs/performance/chart.svg`);
    expect(response.headers.get("content-type")).toBe("image/svg+xml");
    expect(response.headers.get("content-security-policy")).toMatch(
      /^default-src 'none';.* style-src 'unsafe-inline'$/,
    );
    expect(await response.text()).toBe("<svg/>");
  });

  it("lead to the first page and to those of their folder", async () => {
    const [, pages = ""] =
      /<nav aria-label="Pages">(.*?)<\/nav>/s.exec(await textOf("/docs/start/first")) ?? [];
    expect([...pages.matchAll(/href="(.*?)"/g)].map(([, link]) => link)).toEqual([
      "../",
      "../start/first",
      "../../docs",
    ]);
  });

  it("can be searched by their sections", async () => {
    expect(JSON.parse(await textOf("/docs/search.json"))).toEqual([
      {
        page: "start/first",
        title: "First steps",
        heading: "First steps",
        anchor: "first-steps",
        text: "Begin here.",
      },
      {
        page: "guide",
        title: "A guide",
        heading: "A guide",
        anchor: "a-guide",
        text: expect.stringMatching(/^The first words, with errors, the code and a site\. A chart/),
      },
      {
        page: "guide",
        title: "A guide",
        heading: "Tables",
        anchor: "tables",
        text: expect.stringMatching(/^a b <script>_a one two +bold ?$/),
      },
      { page: "guide", title: "A guide", heading: "Again & again", anchor: "again--again", text: "one two" },
      {
        page: "guide",
        title: "A guide",
        heading: "Again & again",
        anchor: "again--again-1",
        text: "<table></table>",
      },
      {
        page: "reference/errors",
        title: "Errors",
        heading: "Errors",
        anchor: "errors",
        text: "See the guide.",
      },
      { page: "reference/errors", title: "Errors", heading: "Two", anchor: "two", text: "Text." },
    ]);
  });

  it.each([
    "guide.md",
    "../package.json",
    "..%2fpackage.json",
    "decisions/0001",
    "reference/",
    "performance/figures.json",
    "__proto__",
  ])("are no others, such as %s", async (path) => {
    const response = await fetch(`${url()}/docs/${path}`, { redirect: "manual" });
    expect(response.status).toBe(404);
  });
});

describe("the documentation of this version", () => {
  const url = open();

  it("has links to what is there", async () => {
    const seen = new Map<string, string>();
    const anchors = new Map<string, ReadonlySet<string>>();
    const waiting = [`${url()}/docs/`];
    for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
      const response = await fetch(page);
      const type = response.headers.get("content-type") ?? "";
      const text = await response.text();
      expect([page, response.status]).toEqual([page, 200]);
      seen.set(page, type);
      const isOurs = type.startsWith("text/html") && page.startsWith(`${url()}/docs/`);
      const links = isOurs ? [...text.matchAll(/(?:src|href)="([^"]+)"/g)] : [];
      anchors.set(page, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)));
      for (const [, link = ""] of links) {
        const [target = ""] = new URL(link, page).href.split("#");
        if (target.startsWith(url()) && !seen.has(target) && !waiting.includes(target)) waiting.push(target);
      }
    }
    expect([...seen.keys()].map((page) => page.slice(url().length))).toEqual(
      expect.arrayContaining([
        "/docs/reference/configuration",
        "/docs/reference/errors",
        "/docs",
        "/docs/docs.js",
      ]),
    );
    const search = (await (await fetch(`${url()}/docs/search.json`)).json()) as {
      page: string;
      anchor: string;
    }[];
    const lost = search.filter(({ page, anchor }) => !anchors.get(`${url()}/docs/${page}`)?.has(anchor));
    expect(lost).toEqual([]);
    expect(search.length).toBeGreaterThan(100);
  });

  it("allows nothing from elsewhere and nothing inline", async () => {
    const response = await fetch(`${url()}/docs/reference/configuration`);
    const policy = response.headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    const html = await response.text();
    expect(html).not.toMatch(
      /<script(?! src="[./]+docs\.js")|<style|\sstyle=|\son\w+=|(?:src|href)="https?:/,
    );
    const style = await (await fetch(`${url()}/docs/docs.css`)).text();
    expect(style).not.toMatch(/url\(|@import|https?:/);
  });
});

test("nothing is read before the first request", () => {
  expect(createDocs(join(folder, "nothing")).pageAt("")).toBeTypeOf("function");
});
