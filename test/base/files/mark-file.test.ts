import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openMarkFile, readMark } from "../../../base/files/mark-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mark-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const path = () => join(folder, "marks", "store.mark");

function write(...marks: object[]): void {
  using file = openMarkFile(path());
  for (const mark of marks) file.write(mark);
}

it("keeps what was written last, for this user alone", () => {
  expect(readMark(path())).toBeUndefined();
  write({ commits: 1 }, { commits: 2 }, { commits: 3, names: ["ä"] });
  expect(readMark(path())).toEqual({ commits: 3, names: ["ä"] });
  write({ commits: 4 });
  using again = openMarkFile(path());
  expect(again.found).toEqual({ commits: 4 });
  expect([statSync(path()).mode & 0o777, statSync(join(folder, "marks")).mode & 0o777]).toEqual([
    0o600, 0o700,
  ]);
});

it("has the last or the one before, whatever one byte of it has become", () => {
  write({ commits: 7 }, { commits: 8 });
  const whole = readFileSync(path());
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= change;
      writeFileSync(path(), bytes);
      expect([{ commits: 7 }, { commits: 8 }]).toContainEqual(readMark(path()));
    }),
  );
});

it.each([0, 20])("is none when it was cut to %i bytes", (bytes) => {
  write({ commits: 7 }, { commits: 8 });
  truncateSync(path(), bytes);
  expect(readMark(path())).toBeUndefined();
});

it("writes nothing where it can't be made", () => {
  writeFileSync(join(folder, "marks"), "a file");
  expect(() => write({ commits: 1 })).not.toThrow();
});
