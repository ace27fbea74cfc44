import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ImportedRow } from "../../../console/src/pages/events/import/send-rows.ts";
import { csvOf, readRows, readSample } from "../../../console/src/pages/events/import/table-file.ts";

const fileOf = (content: string | Uint8Array<ArrayBuffer>) => new File([content], "table.csv");

async function rowsOf(file: File): Promise<readonly ImportedRow[]> {
  const found: ImportedRow[] = [];
  const { signal } = new AbortController();
  await readRows(file, { signal, take: async (rows) => void found.push(...rows) });
  return found;
}

/** A file whose stream has pieces of this size, which end within characters. */
function fileInPieces(text: string, size: number): File {
  const bytes = new TextEncoder().encode(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.slice(at * size, (at + 1) * size),
  );
  const stream = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    });
  return Object.assign(fileOf(bytes), { stream });
}

const cell = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("金额", '"', "a,b", "x\r\ny", "😀"));

describe("the rows of a file", () => {
  test("are those that were written, however its pieces end", async () => {
    const table = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 40 }), async (rows, size) => {
        const cells = rows.map((row, at) => [`r${at}`, ...row.map((one) => one.replaceAll("\0", ""))]);
        const text = csvOf(
          ["number", "one", "two"],
          cells.map((row, at) => ({ number: at + 1, cells: row })),
        );
        const found = await rowsOf(fileInPieces(text, size));
        expect(found).toEqual(cells.map((row, at) => ({ number: at + 1, cells: row })));
      }),
    );
  });

  test("of many kilobytes keep characters at the ends of pieces", async () => {
    const rows = Array.from({ length: 30_000 }, (_, at) => `${at},金额-${at}-😀`);
    const found = await rowsOf(fileInPieces(`id,note\n${rows.join("\n")}`, 65_537));
    expect(found.map(({ cells }) => cells.join())).toEqual(rows);
  });

  test.each([
    ["a,b\r\n1,2\r\n", [["1", "2"]]],
    ["\u{feff}a;b\n\n 1;2\n;\n", [[" 1", "2"]]],
    ['a\tb\r1\t"x\ry"', [["1", "x\ry"]]],
    ["a,b", []],
    ["", []],
  ])("of %j are %j", async (text, expected) => {
    expect((await rowsOf(fileOf(text))).map(({ cells }) => cells)).toEqual(expected);
    expect((await readSample(fileOf(text))).rows).toEqual(expected);
  });
});

const utf16 = new Uint8Array(Buffer.from("\u{feff}a,b\n1,2\n", "utf16le"));

describe("a file is refused", () => {
  test.each([
    ["of UTF-16", utf16, "encoding"],
    ["of another encoding", new Uint8Array([0x61, 0x2c, 0xbd, 0xf0, 0x0a]), "encoding"],
    ["with a NUL", "a,b\n1,\0\n", "encoding"],
    ["with a row of megabytes", `a,b\n${"x".repeat(2_000_000)}`, "longRow"],
    ["with a quote that is not closed", `a,b\n1,"${"x,\n".repeat(500_000)}`, "longRow"],
    ["with 10,000 columns", `${"a,".repeat(10_000)}\n1\n`, "manyColumns"],
  ] as const)("%s", async (_name, content, fault) => {
    await expect(readSample(fileOf(content))).rejects.toMatchObject({ name: "TableError", fault });
  });

  test("at the row where it stops to be a table", async () => {
    const rows = Array.from({ length: 1_500 }, (_, at) => `${at},x`);
    const file = fileOf(`a,b\n${rows.join("\n")}\n"${"y\n".repeat(1_000_000)}`);
    expect((await readSample(file)).rows).toHaveLength(1_000);
    await expect(rowsOf(file)).rejects.toMatchObject({ fault: "longRow" });
  });
});
