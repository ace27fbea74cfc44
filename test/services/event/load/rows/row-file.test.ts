import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RowFile } from "../../../../../services/event/load/rows/row-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rows-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function written(write: (file: RowFile) => void): string {
  const file = new RowFile(join(folder, "rows.ndjson"));
  write(file);
  file.close();
  return readFileSync(file.path, "utf8");
}

describe("file of rows", () => {
  it("is made with the first line", () => {
    const file = new RowFile(join(folder, "rows.ndjson"));
    file.close();
    expect([file.count, readdirSync(folder)]).toEqual([0, []]);
  });

  it("holds texts as JSON.stringify writes them", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 40 }), { minLength: 1 }), (texts) => {
        const lines = written((file) => {
          for (const text of texts) {
            file.text(text);
            file.endLine();
          }
          expect(file.count).toBe(texts.length);
        });
        expect(lines).toBe(texts.map((text) => `${JSON.stringify(text)}\n`).join(""));
      }),
      { numRuns: 50 },
    );
  });

  it("replaces halves of surrogate pairs", () => {
    const line = written((file) => {
      file.text("a\ud800b");
      file.endLine();
    });
    expect(line).toBe('"a\ufffdb"\n');
  });

  it.each([
    0,
    1,
    9,
    10,
    99,
    100,
    1_073_741_823,
    1_073_741_824,
    10_737_418_240,
    999_999_999_999_999,
    1e15,
    2 ** 53,
    1e21,
    1e300,
    0.1,
    12.5,
    1e-7,
    -1,
    -0.5,
    -1_764_000_000_000,
  ])("holds the number %d", (number) => {
    const line = written((file) => {
      file.number(number);
      file.endLine();
    });
    expect(line).toBe(`${number}\n`);
  });

  it("holds any number as it was", () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.maxSafeNat(),
      fc.integer(),
    );
    fc.assert(
      fc.property(number, (value) => {
        const line = written((file) => {
          file.number(value);
          file.endLine();
        });
        expect(Number(line)).toBe(value === 0 ? 0 : value);
      }),
      { numRuns: 300 },
    );
  });

  it("holds lines of any number and length in their order, without those taken back", () => {
    const texts = Array.from({ length: 3_000 }, (_, i) => "x".repeat(i % 700) + i);
    texts.push("long ".repeat(200_000));
    const lines = written((file) => {
      for (const text of texts) {
        file.raw('{"gone":');
        file.undoLine();
        file.text(text);
        file.endLine();
      }
      file.raw("never ended");
      file.undoLine();
    });
    expect(
      lines
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    ).toEqual(texts);
  });
});
