import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { suites } from "./suites.ts";

const sources = ["base", "gateway", "services", "store", "cmd"].flatMap((layer) =>
  listFiles(layer, /(?<!\.d)\.ts$/),
);
const unnamed = sources.filter((source) => !existsSync(testOf(source)));

/** Suites that cover more than one source folder, and the tests of the repository itself. */
const otherTests =
  /^test\/(?:(?:build|clients|conformance|console|docs|e2e|package|proto|reference|servers|simulation)\/|[^/]+$)/;

function listFiles(folder: string, name: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => name.test(path))
    .map((path) => join(folder, path));
}

function testOf(source: string): string {
  return join("test", source.replace(/\.ts$/, ".test.ts"));
}

it("finds the tests of every source file", () => {
  expect(unnamed.filter((source) => suites[dirname(source)] === undefined)).toEqual([]);
});

it("finds the source files of every test", () => {
  const named = new Set(sources.map(testOf));
  const mapped = Object.values(suites).flat();
  const isMapped = (test: string) => mapped.some((suite) => test === suite || test.startsWith(`${suite}/`));
  const tests = listFiles("test", /\.test\.ts$/).filter((test) => !otherTests.test(test));
  expect(tests.filter((test) => !named.has(test) && !isMapped(test))).toEqual([]);
});

it("names existing tests", () => {
  const missing = Object.values(suites)
    .flat()
    .filter((suite) => !existsSync(suite));
  expect(missing).toEqual([]);
});

it("names no folder whose source files all have a test of their own name", () => {
  const folders = new Set(unnamed.map((source) => dirname(source)));
  expect(Object.keys(suites).filter((folder) => !folders.has(folder))).toEqual([]);
});

it("registers no hook while a shared module is loaded, as later files would miss it", () => {
  const shared = listFiles("test", /(?<!\.test)\.ts$/);
  // Hooks of functions are indented.
  const hook = /^(?:before|after)(?:All|Each)\(/m;
  expect(shared.filter((file) => hook.test(readFileSync(file, "utf8")))).toEqual([]);
});
