import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { segmentName, segmentSize } from "../../../store/records/segment-files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "segments-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a file has its size, and a deleted one none", async () => {
  writeFileSync(join(folder, segmentName(1)), "{}\n");
  expect([await segmentSize(folder, 1), await segmentSize(folder, 2)]).toEqual([3, 0]);
});

test("a file that cannot be looked at is an error", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  await expect(segmentSize(file, 1)).rejects.toThrow("ENOTDIR");
});
