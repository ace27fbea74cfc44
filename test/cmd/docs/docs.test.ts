import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type DocsOptions, printDocs } from "../../../cmd/docs/docs.ts";
import { captureOutput } from "../captured-output.ts";
import { folderWith } from "../config/load.ts";
import { runEngage } from "../run-engage.ts";

async function print(page?: string, options: DocsOptions = {}): Promise<string> {
  const { streams, written } = captureOutput();
  const folder = folderWith({
    "operations.md": "# Operations\n\nHow to run it.\n\n## Back up\n\nCopy the folder.\n",
  });
  mkdirSync(join(folder, "start"));
  writeFileSync(join(folder, "start/analyst.md"), "# Analyse\n\nFor analysts.\n");
  await printDocs(page, options, streams.stdout, folder);
  return written.stdout;
}

it("lists, prints and searches the pages", async () => {
  expect(await print()).toBe("PAGE           TITLE\nstart/analyst  Analyse\noperations     Operations\n");
  expect(await print("docs/start/analyst.md")).toBe("# Analyse\n\nFor analysts.\n");
  expect(await print(undefined, { search: "COPY" })).toBe(
    "PAGE        TITLE       PART\noperations  Operations  Back up\n",
  );
  expect(await print(undefined, { search: "zebra" })).toBe('no page contains "zebra"\n');
  expect(JSON.parse(await print("operations", { json: true }))).toMatchObject({ title: "Operations" });
});

it("names the nearest page", async () => {
  await expect(print("operation")).rejects.toThrow(
    'page "operation" is not known, the nearest is "operations", valid are "start/analyst", "operations"; --search finds',
  );
  await expect(print("operations", { search: "x" })).rejects.toThrow("give a page or --search");
});

it("has the documentation of the package", async () => {
  const { code, stdout } = await runEngage(["docs", "--search", "SIGHUP"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("Reload")]);
});
