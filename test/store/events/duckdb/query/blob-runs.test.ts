import { DuckDBBlobVector, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { BlobRuns } from "../../../../../store/events/duckdb/query/blob-runs.ts";

let instance: DuckDBInstance;

beforeAll(async () => {
  instance = await DuckDBInstance.create();
});
afterAll(() => instance.closeSync());

const numbers = Array.from({ length: 2_048 }, (_, n) => n);
const ascending = (n: number) => n;
const descending = (n: number) => -n;
const mixed = (n: number) => (n * 1_237) % 2_048;

describe("texts in blobs", () => {
  it.each<[string, text: (n: number) => string, visited: (n: number) => number]>([
    ["nothing", () => "", ascending],
    ["up to 12 bytes", (n) => "x".repeat(n % 13), ascending],
    ["more than 12 bytes", (n) => `a longer text ${n}`, ascending],
    ["both", (n) => "ab".repeat(n % 20), ascending],
    ["both, from the last on", (n) => "ab".repeat(n % 20), descending],
    ["both, in any order", (n) => "ab".repeat(n % 20), mixed],
    ["other letters", (n) => (n % 3 === 0 ? `größer als zwölf ${n}` : `a longer text ${n}`), ascending],
    ["more than are read together", (n) => "ö".repeat(n === 7 ? 200_000 : n), ascending],
  ])("are those of the engine: %s", async (_what, text, visited) => {
    const connection = await instance.connect();
    const texts = numbers.map(text);
    // The last order of the rows is not that in which their texts were stored.
    for (const order of ["n", "hash(n)"]) {
      const list = texts.map((one, n) => `(${n}, '${one}')`).join(", ");
      const sql = `SELECT n, encode(t) AS blob FROM (VALUES ${list}) v(n, t) ORDER BY ${order}`;
      const chunk = (await connection.run(sql)).getChunk(0);
      const rows = chunk.getColumnValues(0) as readonly number[];
      const blobs = new BlobRuns(chunk, 1);
      const read: string[] = [];
      for (const row of numbers.toSorted((a, b) => visited(a) - visited(b))) {
        blobs.moveTo(row);
        expect(blobs.length).toBe(Buffer.byteLength(texts[rows[row]!]!));
        read[rows[row]!] = blobs.text(0, blobs.length);
      }
      expect(read).toEqual(texts);
    }
    connection.closeSync();
  });

  it.each<[string, text: (n: number) => string]>([
    ["long", (n) => `a longer text ${n}`],
    ["short and long", (n) => (n % 2 === 0 ? "short" : `a longer text ${n}`)],
    ["long, more than are read together", (n) => `${n}`.padEnd(1_000)],
  ])("are read once and together, up to 64 KiB: %s", async (_what, text) => {
    const connection = await instance.connect();
    const list = numbers.map((n) => `(${n}, '${text(n)}')`).join(", ");
    const sql = `SELECT encode(t) AS blob FROM (VALUES ${list}) v(n, t) ORDER BY n`;
    const chunk = (await connection.run(sql)).getChunk(0);
    const blobs = new BlobRuns(chunk, 0);
    using reads = vi.spyOn(DuckDBBlobVector.prototype, "getItemBytes");
    for (const row of numbers) blobs.moveTo(row);
    const long = (sizes: readonly number[]) => sizes.filter((size) => size > 12);
    const sizes = long(reads.mock.results.map(({ value }) => (value as Uint8Array).length));
    const sum = (list: readonly number[]) => list.reduce((total, size) => total + size, 0);
    expect(sum(sizes)).toBe(sum(long(numbers.map((n) => text(n).length))));
    expect(sizes.length).toBeLessThan(50);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536);
    connection.closeSync();
  });

  it("are parts of blobs", async () => {
    const connection = await instance.connect();
    const sql = "SELECT encode(unnest(['zwölf Zeichen, mehr', 'twelve letters and more'])) AS blob";
    const chunk = (await connection.run(sql)).getChunk(0);
    const blobs = new BlobRuns(chunk, 0);
    blobs.moveTo(1);
    expect([blobs.text(0, 6), blobs.text(7, 14)]).toEqual(["twelve", "letters"]);
    blobs.moveTo(0);
    expect([blobs.text(0, 6), blobs.text(7, 14)]).toEqual(["zwölf", "Zeichen"]);
    connection.closeSync();
  });
});
