import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { packageRoot } from "../base/package/root.ts";

const run = promisify(execFile);

it.each([
  ["vitest.config.ts", "test/large.test.ts"],
  ["test/servers/vitest.config.ts", "test/servers/large.test.ts"],
])(
  "a failed expectation about large values is shown without comparing all of them: %s",
  async (config, path) => {
    const folder = mkdtempSync(join(tmpdir(), "diff-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    const test = `it("fails", () => expect(Buffer.alloc(100_000, 1)).toEqual(Buffer.alloc(100_000, 2)));`;
    writeFileSync(join(folder, path), test);
    const vitest = join(packageRoot, "node_modules/vitest/vitest.mjs");
    const options = ["run", "--globals", "--root", folder, "--config", join(packageRoot, config)];
    // It is stopped before this test is, so that nothing goes on after it.
    const ended = run(process.execPath, [vitest, ...options], { cwd: packageRoot, timeout: 25_000 });
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("result is truncated"),
    });
  },
);
