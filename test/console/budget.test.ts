import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { expect, test } from "vitest";

const dist = "console/dist";
const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => /\.\w+$/.test(name));
const index = readFileSync(join(dist, "index.html"), "utf8");

/** Files below this size are not compressed, and count as they are. */
function sizeOf(name: string): number {
  const path = join(dist, name);
  return statSync(files.includes(`${name}.br`) ? `${path}.br` : path).size;
}

const imports = /(?:from|import)\s*["`]\.\/([^"`]+)["`]/g;

/** The files that a built script cannot do without: what it imports, and what that imports. */
function importedBy(name: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  if (!name.endsWith(".js")) return seen;
  const text = readFileSync(join(dist, name), "utf8");
  for (const [, other] of text.matchAll(imports)) importedBy(`assets/${other}`, seen);
  return seen;
}

/**
 * What the first visit loads when it is needed: the frame with the overview, its chart and the texts of one language.
 */
const first = ["main", "frame", "draw-lines", "zh"];

test("the first page with its chart takes at most 100 kB", () => {
  const named = first.map((part) =>
    files.filter((name) => new RegExp(`^assets/${part}-.*\\.(?:js|css)$`).test(name)),
  );
  expect(named.map((names) => names.length > 0)).toEqual(first.map(() => true));
  const loaded = new Set(["index.html", ...named.flat()].flatMap((name) => [...importedBy(name)]));
  expect([...loaded].map(sizeOf).reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100_000);
});

test("the first page loads few files before it is drawn, as a browser loads six at a time", () => {
  const names = files.filter((name) => /^assets\/(?:main|frame|en)-.*\.(?:js|css)$/.test(name));
  const loaded = new Set(names.flatMap((name) => [...importedBy(name)]));
  expect(loaded.size).toBeLessThanOrEqual(6);
});

test("each compressed file is that of the file beside it", () => {
  const compressed = files.filter((name) => name.endsWith(".br"));
  expect(compressed.length).toBeGreaterThan(3);
  for (const name of compressed) {
    const plain = readFileSync(join(dist, name.slice(0, -".br".length)));
    expect(brotliDecompressSync(readFileSync(join(dist, name))).equals(plain), name).toBe(true);
  }
});

test("the first page has nothing inline and loads nothing from elsewhere", () => {
  expect(index).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/);
  const urls = [...index.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
  const loaded = urls.filter((url) => url !== "../docs");
  expect(loaded.length).toBeGreaterThan(2);
  expect(loaded.filter((url) => !files.includes(normalize(join(dirname("index.html"), url))))).toEqual([]);
});

test("scripts hold no source of text from which they could run code", () => {
  const scripts = files
    .filter((name) => name.endsWith(".js"))
    .map((name) => readFileSync(join(dist, name), "utf8"));
  expect(scripts.length).toBeGreaterThan(1);
  expect(scripts.filter((text) => /\beval\(|new Function\(/.test(text))).toEqual([]);
});

test("the notices of all bundled packages are there", () => {
  const notices = readFileSync(join(dist, "licenses.md"), "utf8");
  const names = [
    "preact",
    "@preact/signals",
    "uplot",
    "@connectrpc/connect-web",
    "@bufbuild/protobuf",
    "@noble/hashes",
  ];
  expect(names.filter((name) => !notices.toLowerCase().includes(name))).toEqual([]);
});
