import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { packageRoot } from "../base/package/root.ts";
import root from "../vitest.config.ts";
import { diff } from "./diff.ts";
import servers from "./servers/vitest.config.ts";

const run = promisify(execFile);

it("a failed expectation about large values is shown without comparing all of them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "diff-"));
  mkdirSync(join(folder, "test"));
  const test = `it("fails", () => expect(Buffer.alloc(100_000, 1)).toEqual(Buffer.alloc(100_000, 2)));`;
  writeFileSync(join(folder, "test/large.test.ts"), test);
  const vitest = join(packageRoot, "node_modules/vitest/vitest.mjs");
  const config = join(packageRoot, "vitest.config.ts");
  const options = ["run", "--globals", "--root", folder, "--config", config];
  // It is stopped before this test is, so that nothing goes on after it.
  const ended = run(process.execPath, [vitest, ...options], { cwd: packageRoot, timeout: 25_000 });
  await expect(ended).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("result is truncated"),
  });
  rmSync(folder, { recursive: true });
});

it("all suites have this limit", () => {
  expect([root, servers].map((config) => config.test?.diff)).toEqual([diff, diff]);
});
