import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { copyAndSync, moveAll } from "../../../../cmd/serve/backup/copy.ts";
import { folderWith } from "../../config/load.ts";

test("a copy is readable for this user only", async () => {
  const folder = folderWith({ from: "abc" });
  const to = join(folder, "new", "to");
  expect(await copyAndSync(join(folder, "from"), to, new AbortController().signal)).toBe(3);
  expect([readFileSync(to, "utf8"), statSync(to).mode & 0o777]).toEqual(["abc", 0o600]);
});

test("a file that is gone is not copied", async () => {
  const folder = folderWith({});
  const to = join(folder, "to");
  expect(await copyAndSync(join(folder, "none"), to, new AbortController().signal)).toBeUndefined();
  expect(existsSync(to)).toBe(false);
});

test("the copy of a large file ends when it is stopped, and is removed", async () => {
  const to = join(folderWith({}), "to");
  const stop = new AbortController();
  // A file without an end.
  const copied = copyAndSync("/dev/zero", to, stop.signal);
  // The attempt to share blocks makes the file, and removes it again.
  while (!statSync(to, { throwIfNoEntry: false })?.size) await setImmediate();
  stop.abort(new Error("stopped by the test"));
  await expect(copied).rejects.toThrow("stopped by the test");
  expect(existsSync(to)).toBe(false);
});

test("files are where they were when one of them cannot be moved", async () => {
  const folder = folderWith({ a: "first", b: "second" });
  const pairs = ["a", "none", "b"].map((name) => ({
    source: join(folder, name),
    target: join(folder, "away", name),
  }));
  await expect(moveAll(pairs, new AbortController().signal)).rejects.toThrow("ENOENT");
  expect(readdirSync(folder).sort()).toEqual(["a", "away", "b"]);
  expect(readdirSync(join(folder, "away"))).toEqual([]);
  await moveAll([pairs[0]!, pairs[2]!], new AbortController().signal);
  expect(readdirSync(join(folder, "away")).sort()).toEqual(["a", "b"]);
});

test("a file that cannot be moved back is named, and the others are moved back", async () => {
  const folder = folderWith({ first: "1", second: "2" });
  const pairOf = (from: string, to: string) => ({ source: join(folder, from), target: join(folder, to) });
  const [first, second] = [pairOf("first", "away/1"), pairOf("second", "away/2")];
  // Makes a folder with the name of the first file.
  const failing = pairOf("none", "first/none");
  const moved = moveAll([first, second, failing], new AbortController().signal);
  const messages = [
    `cannot rename "${failing.source}": no such file or folder`,
    `"${first.target}" cannot be moved back to "${first.source}": it is a folder, not a file`,
  ];
  await expect(moved).rejects.toThrow(messages.join("\n"));
  expect([readFileSync(first.target, "utf8"), readFileSync(second.source, "utf8")]).toEqual(["1", "2"]);
});
