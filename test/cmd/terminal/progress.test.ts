import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { expect, test } from "vitest";
import { startProgress } from "../../../cmd/terminal/progress.ts";

const folder = mkdtempSync(join(tmpdir(), "engage-progress-"));
const files = ["a.log", "b.log"].map((name) => join(folder, name));
for (const file of files) writeFileSync(file, Buffer.alloc(1_048_576));
const [first, second] = files as [string, string];

/** Returns what a person sees after half of the second file, if anything. */
async function shown(
  stdout: { isTTY: boolean },
  isTTY: boolean,
  names: readonly string[] = files,
): Promise<string> {
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const progress = startProgress(names, stdout, stderr);
  progress.at(first, 1_048_576);
  progress.at(second, 262_144);
  progress.at(second, 524_288);
  progress.stop();
  return await textOf(stderr.end());
}

test("a terminal shows how far all files are read together", async () => {
  expect(await shown({ isTTY: false }, true)).toMatch(/ 0% of 2\.0 MiB .* 75% of 2\.0 MiB /s);
});

test.each<[string, ...Parameters<typeof shown>]>([
  ["where nobody sees it", { isTTY: false }, false],
  ["between the records", { isTTY: true }, true],
  ["for what has no size", { isTTY: false }, true, ["-"]],
])("nothing is shown %s", async (_name, ...given) => {
  expect(await shown(...given)).toBe("");
});
