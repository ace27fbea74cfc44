import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CsvSettings, createCsvParser, parseCsvObjects } from "../../../base/text/csv.ts";

const maxRowBytes = 1_000;

function rowsOf(pieces: readonly Uint8Array[], settings: Partial<CsvSettings> = {}): Promise<unknown[]> {
  const parser = createCsvParser({ maxRowBytes, ...settings });
  return Readable.from(pieces, { objectMode: false }).pipe(parser).toArray();
}

const read = (text: string, settings?: Partial<CsvSettings>) => rowsOf([Buffer.from(text)], settings);

/** Pieces of up to a given length, so that CR and LF come apart too. */
function piecesOf(bytes: Buffer, length: number): Buffer[] {
  const count = Math.ceil(bytes.length / length);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * length, (index + 1) * length));
}

describe("CSV", () => {
  it.each<[string, string, string[][]]>([
    [
      "LF after a first CR LF",
      "a,1\r\nb,2\nc,3\r\n",
      [
        ["a", "1"],
        ["b", "2"],
        ["c", "3"],
      ],
    ],
    [
      "CR LF after a first LF",
      "a,1\nb,2\r\nc,3\r\n",
      [
        ["a", "1"],
        ["b", "2"],
        ["c", "3"],
      ],
    ],
    [
      "CR alone",
      "a,1\rb,2\r",
      [
        ["a", "1"],
        ["b", "2"],
      ],
    ],
    [
      "CR CR LF, as a text mode makes it",
      "a,1\r\r\nb,2\r\r\n",
      [
        ["a", "1"],
        ["b", "2"],
      ],
    ],
    [
      "no end of the last row",
      "a,1\r\nb,2",
      [
        ["a", "1"],
        ["b", "2"],
      ],
    ],
    [
      "line ends in quotes",
      'a,"x\r\ny\nz\r"\r\nb,2\n',
      [
        ["a", "x\r\ny\nz\r"],
        ["b", "2"],
      ],
    ],
    [
      "empty lines",
      "\r\na,1\n\r\n\n\rb,2",
      [
        ["a", "1"],
        ["b", "2"],
      ],
    ],
    ["a byte order mark before a quote", '\ufeff"a",1\n', [["a", "1"]]],
  ])("reads %s", async (_name, text, rows) => {
    expect(await read(text)).toEqual(rows);
  });

  it("gives objects by the first row", () => {
    const csv = Buffer.from("\ufeffid,name\r\n1,one\n2,two\r");
    expect(parseCsvObjects(csv, { maxRowBytes })).toEqual([
      { id: "1", name: "one" },
      { id: "2", name: "two" },
    ]);
  });

  it.each([
    ["a row that is too long", `a,${"x".repeat(2 * maxRowBytes)}\n`, "CSV_MAX_RECORD_SIZE"],
    ["a quote that is never closed", `a,"${"x\n".repeat(maxRowBytes)}`, "CSV_MAX_RECORD_SIZE"],
    ["a row with a cell too few", "a,b\n1\n", "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH"],
  ])("refuses %s", async (_name, text, code) => {
    await expect(read(text)).rejects.toMatchObject({ code });
  });

  it("takes rows of other lengths, other separators and spaces around cells where they are allowed", async () => {
    expect(await read("a;b\n 1 \n", { separator: ";", unevenRows: true, trim: true })).toEqual([
      ["a", "b"],
      ["1"],
    ]);
  });

  it("gives all cells back whatever line ends are mixed and wherever the bytes are cut", async () => {
    const cell = fc.string({ unit: fc.constantFrom("a", "1", " ", ",", '"', "\r", "\n", "é", "😀") });
    const row = fc.tuple(cell, cell, cell);
    const end = fc.constantFrom("\r\n", "\n", "\r");
    const table = fc.array(fc.tuple(row, end), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(table, fc.boolean(), fc.integer({ min: 1, max: 9 }), async (rows, bom, length) => {
        const lines = rows.map(([cells, end]) => cells.map(quoteCell).join(",") + end);
        const bytes = Buffer.from((bom ? "\ufeff" : "") + lines.join(""));
        expect(await rowsOf(piecesOf(bytes, length))).toEqual(rows.map(([cells]) => cells));
      }),
    );
  });
});

function quoteCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
