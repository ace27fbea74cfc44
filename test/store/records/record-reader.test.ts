import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRecordReader } from "../../../store/records/record-reader.ts";
import { openRecordSpool } from "../../../store/records/record-spool.ts";
import {
  type RecordPlace,
  type RecordReader,
  RecordsUnavailableError,
} from "../../../store/records/records.ts";

let root = "";
let folder = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "reader-"));
  folder = join(root, "spool");
});
afterEach(() => rmSync(root, { recursive: true }));

const files = () => readdirSync(folder).map((name) => Number.parseInt(name, 10));
const record = (text: string) => Buffer.from(text);

async function readAll(reader: RecordReader, from: RecordPlace, maxBytes: number): Promise<string[]> {
  const lines: string[] = [];
  for (let at = from; ; ) {
    const chunk = await reader.read(at, maxBytes);
    if (chunk === undefined) return lines;
    lines.push(...Buffer.from(chunk.bytes).toString().split("\n").filter(Boolean));
    at = chunk.to;
  }
}

describe("reader of records", () => {
  it.each([1, 10, 25, 1_000_000])("gives all lines, whole, in pieces of %i bytes", async (maxBytes) => {
    await using spool = openRecordSpool({ folder, maxFileBytes: 64 });
    const reader = createRecordReader({ folder, spool });
    const lines = Array.from({ length: 40 }, (_, n) => `{"n":"${"x".repeat(n)}"}`);
    for (const line of lines) await spool.append(record(line));
    expect(await readAll(reader, await reader.start(), maxBytes)).toEqual(lines);
    expect(files().length).toBeGreaterThan(10);
  });

  it("returns nothing at the end, and continues when there is more", async () => {
    await using spool = openRecordSpool({ folder });
    const reader = createRecordReader({ folder, spool });
    const start = await reader.start();
    expect(start).toEqual({ number: 1, offset: 0 });
    expect(await reader.read(start, 100)).toBeUndefined();
    const grown = reader.grown();
    await spool.append(record("{}"));
    await grown;
    expect(await reader.read(start, 100)).toMatchObject({ from: start, to: { number: 1, offset: 3 } });
    expect(await reader.bytesAfter(start)).toBe(3);
  });

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
      expect(await readAll(reader, read, 100)).toEqual(["2"]);
    },
  );

  it("skips missing files", async () => {
    await using spool = openRecordSpool({ folder, maxFileBytes: 8 });
    const reader = createRecordReader({ folder, spool });
    for (const n of [1, 2, 3]) await spool.append(record(`{"n":${n}}`));
    rmSync(join(folder, "000000000001.ndjson"));
    rmSync(join(folder, "000000000002.ndjson"));
    expect(await reader.start()).toEqual({ number: 3, offset: 0 });
    expect(await readAll(reader, { number: 1, offset: 8 }, 100)).toEqual(['{"n":3}']);
    expect(await reader.bytesAfter({ number: 1, offset: 8 })).toBe(8);
    expect(await reader.bytesAfter({ number: 3, offset: 8 })).toBe(0);
  });

  it("deletes files which end at or before a place, except the file in use", async () => {
    await using spool = openRecordSpool({ folder, maxFileBytes: 8 });
    const reader = createRecordReader({ folder, spool });
    for (const n of [1, 2, 3]) await spool.append(record(`{"n":${n}}`));
    await reader.release({ number: 1, offset: 7 });
    expect(files()).toEqual([1, 2, 3]);
    await reader.release({ number: 1, offset: 8 });
    expect(files()).toEqual([2, 3]);
    await reader.release({ number: 3, offset: 8 });
    expect(files()).toEqual([3]);
  });
});

describe("lines appended at once", () => {
  it("are records like others", async () => {
    await using spool = openRecordSpool({ folder });
    const reader = createRecordReader({ folder, spool });
    await Promise.all([
      spool.append(record("1")),
      spool.appendLines(record("2\n3\n")),
      spool.append(record("4")),
    ]);
    expect(await readAll(reader, await reader.start(), 100)).toEqual(["1", "2", "3", "4"]);
  });

  it.each(["", "1", "1\n2"])("must be whole, unlike %j", async (text) => {
    await using spool = openRecordSpool({ folder });
    await expect(spool.appendLines(record(text))).rejects.toThrow("lines must end with a line end");
  });
});

describe("spool with a reader", () => {
  const name = (number: number) => join(folder, `${String(number).padStart(12, "0")}.ndjson`);

  it("reports an incomplete line and truncates it", async () => {
    await using first = openRecordSpool({ folder });
    await first.append(record("{}"));
    await first[Symbol.asyncDispose]();
    writeFileSync(name(1), '{}\n{"torn', { flag: "w" });
    const told: unknown[] = [];
    await using spool = openRecordSpool({ folder, torn: (...what) => told.push(what) });
    expect(await spool.end()).toEqual({ number: 1, offset: 3 });
    expect(told).toEqual([[name(1), 6]]);
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

  it("refuses records which are not admitted", async () => {
    const full = new RecordsUnavailableError("the disk is nearly full");
    await using spool = openRecordSpool({
      folder,
      admit: (bytes) => {
        expect(bytes).toBe(3);
        throw full;
      },
    });
    await expect(spool.append(record("{}"))).rejects.toBe(full);
    expect(await spool.end()).toEqual({ number: 1, offset: 0 });
  });
});
