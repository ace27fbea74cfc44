import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRecordReader } from "../../../store/records/record-reader.ts";
import { openRecordSpool } from "../../../store/records/record-spool.ts";
import { readAll, record } from "../../conformance/records/place.ts";

let root = "";
let folder = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "reader-"));
  folder = join(root, "spool");
});
afterEach(() => rmSync(root, { recursive: true }));

describe("reader of records", () => {
  it.each([0, 3, 6])(
    "has nothing to read of a file that was cut to %i bytes after it had been read",
    async (bytes) => {
      {
        await using spool = openRecordSpool({ folder });
        for (const text of ["{}", "[]", "1"]) await spool.append(record(text));
      }
      const read = { number: 1, offset: 8 };
      truncateSync(join(folder, readdirSync(folder)[0]!), bytes);
      await using spool = openRecordSpool({ folder, after: read });
      const reader = createRecordReader({ folder, spool });
      expect(await reader.bytesAfter(read)).toBe(0);
      await spool.append(record("2"));
      expect(await reader.bytesAfter(read)).toBe(2);
      expect(await readAll(reader, read)).toEqual(["2"]);
    },
  );
});

it("counts the bytes after a place again when another file is in use, and from another file", async () => {
  await using spool = openRecordSpool({ folder, maxFileBytes: 3 });
  const reader = createRecordReader({ folder, spool });
  const counts: number[] = [];
  for (const text of ["{}", "[]", "12"]) {
    await spool.append(record(text));
    counts.push(await reader.bytesAfter({ number: 1, offset: 0 }));
  }
  expect([...counts, await reader.bytesAfter({ number: 2, offset: 1 })]).toEqual([3, 6, 9, 5]);
});

describe("spool with a reader", () => {
  const name = (number: number) => join(folder, `${String(number).padStart(12, "0")}.ndjson`);

  it("reports an incomplete line and truncates it", async () => {
    await using first = openRecordSpool({ folder });
    await first.append(record("{}"));
    await first[Symbol.asyncDispose]();
    writeFileSync(name(1), '{}\n{"torn', { flag: "w" });
    const reported: unknown[] = [];
    await using spool = openRecordSpool({ folder, torn: (...what) => reported.push(what) });
    expect(await spool.end()).toEqual({ number: 1, offset: 3 });
    expect(reported).toEqual([[name(1), 6]]);
  });

  it.each([
    { found: [], after: { number: 7, offset: 3 }, next: 8 },
    { found: [[7, "{}\n"]], after: { number: 7, offset: 3 }, next: 7 },
    { found: [[7, "{}\n"]], after: { number: 7, offset: 4 }, next: 8 },
    { found: [[3, "{}\n"]], after: { number: 7, offset: 0 }, next: 8 },
    { found: [[9, "{}\n"]], after: { number: 7, offset: 90 }, next: 9 },
  ] as const)("writes after $after when it has $found", async ({ found, after, next }) => {
    await using made = openRecordSpool({ folder });
    await made.end();
    await made[Symbol.asyncDispose]();
    rmSync(name(1));
    for (const [number, text] of found) writeFileSync(name(number), text);
    await using spool = openRecordSpool({ folder, after });
    await spool.append(record("{}"));
    expect((await spool.end()).number).toBe(next);
  });
});
