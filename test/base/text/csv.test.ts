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

  const never = (line: number) => `the cell whose quotation mark opens in line ${line} is never closed`;
  const early = (open: number, close: number) =>
    `the cell whose quotation mark opens in line ${open} is closed in line ${close}, but more text follows`;
  const noText = (line: number, encoding: string) => `line ${line} is not ${encoding}; valid are UTF-8`;
  it.each<[string, string | Buffer, string]>([
    ["a quote that is never closed", 'a,b\n1,2\n3,"x\n4,5\n6,7\n', never(3)],
    ["one with CR alone", 'a,b\r1,2\r3,"x\r4,5\r', never(3)],
    ["one with CR LF", 'a,b\r\n1,2\r\n3,"x\r\n4,5\r\n', never(3)],
    ["one in a row that began before", 'a,b\n"1\n1","x\n4,5\n', never(3)],
    ["one after doubled marks", 'a,b\n"1""\n""1",2\n3,"x""\n4,5\n', never(4)],
    ["one that is closed by the next", 'a,b\n3,"x\n4,5\n6,"y"\n7,"z"\n', early(2, 4)],
    ["one in UTF-16", Buffer.from('\ufeffa,b\n1,"x\n4,5\n', "utf16le"), never(2)],
    ["one that makes a row too long", `a\n"b"\n"${"x\n".repeat(600)}`, `perhaps ${never(3)}`],
    ["text after a quoted cell", 'a,b\n1,"x"y\n', early(2, 2)],
    [
      "a quote in a cell",
      'a,b\n1,x"y\n',
      "line 2 has a quotation mark in a cell that does not begin with one",
    ],
    ["bytes that are no UTF-8", Buffer.from("a,b\n1,2\n3,\xe9\n4,5\n", "latin1"), noText(3, "UTF-8")],
    ["half a character at the end", Buffer.from([0x61, 0x0a, 0xe4, 0xb8]), noText(2, "UTF-8")],
    ["half a character of UTF-16", Buffer.from([0xff, 0xfe, 0x61, 0x00, 0x3d, 0xd8]), noText(1, "UTF-16LE")],
  ])("names the line of %s, wherever the bytes are cut", async (_name, text, message) => {
    const bytes = Buffer.from(text as Buffer);
    for (const length of [1, 7, bytes.length]) {
      await expect(rowsOf(piecesOf(bytes, length))).rejects.toThrow(message);
    }
    expect(() => parseCsvObjects(bytes, { maxRowBytes })).toThrow(message);
  });

  const utf16le = Buffer.from("\ufeffa,é\r\n1,😀\r\n", "utf16le");
  it.each<[string, Buffer, string[][]]>([
    ["nothing", Buffer.alloc(0), []],
    ["one byte", Buffer.from("a"), [["a"]]],
    ["a header alone", Buffer.from("a,b\n"), [["a", "b"]]],
    ["a byte order mark alone", Buffer.from("\ufeff"), []],
    ["NUL bytes", Buffer.from("a\0,\0\n"), [["a\0", "\0"]]],
    [
      "UTF-16, little end first",
      utf16le,
      [
        ["a", "é"],
        ["1", "😀"],
      ],
    ],
    [
      "UTF-16, big end first",
      Buffer.from(utf16le).swap16(),
      [
        ["a", "é"],
        ["1", "😀"],
      ],
    ],
  ])("reads %s exactly, wherever the bytes are cut", async (_name, bytes, rows) => {
    for (const length of [1, 3, 99]) expect(await rowsOf(piecesOf(bytes, length))).toEqual(rows);
  });

  it("refuses a header that names a column twice", () => {
    expect(() => parseCsvObjects(Buffer.from("a,b,a\n1,2,3\n"), { maxRowBytes })).toThrow(
      'the header has the column "a" more than once',
    );
    expect(parseCsvObjects(Buffer.from("a,,\n1,,\n"), { maxRowBytes })).toEqual([{ a: "1", "": "" }]);
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
