import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ParsedLines,
  type ParseStreamOptions,
  parseStream,
} from "../../../../services/parser/file/file.ts";
import { type Format, refuse } from "../../../../services/parser/line/line.ts";

const echo: Format = {
  name: "echo",
  parseLine: (line) => (line.startsWith("bad") ? refuse("no_match", "bad line") : [JSON.stringify(line)]),
};
const options: ParseStreamOptions = {
  index: "x.log",
  formatFor: () => echo,
  maxLineBytes: 100,
  gzip: "auto",
};

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function parseAll(source: AsyncIterable<Uint8Array>, changes: Partial<ParseStreamOptions> = {}) {
  const parts: ParsedLines[] = [];
  for await (const part of parseStream(source, { ...options, ...changes })) parts.push(part);
  return {
    records: parts.flatMap(({ records }) => records.map((record) => JSON.parse(record))),
    failures: parts.flatMap(({ failures }) =>
      failures.map(({ lineNumber, failure, line }) => [lineNumber, failure.reason, line.length]),
    ),
    lines: parts.reduce((sum, { lines }) => sum + lines, 0),
    bytesRead: parts.at(-1)?.bytesRead ?? 0,
  };
}

describe("a stream of lines", () => {
  it.each([1, 2, 7, 1_000])("is parsed alike in chunks of %i bytes", async (size) => {
    const bytes = Buffer.concat([
      Buffer.from("\ufeffé\r\nbad line\n\n"),
      Buffer.of(0xff, 0x0a),
      Buffer.from(`${"x".repeat(100)}\r\n${"y".repeat(250)}\nlast`),
    ]);
    expect(await parseAll(chunksOf(bytes, size))).toEqual({
      records: ["é", "x".repeat(100), "last"],
      failures: [
        [2, "no_match", 8],
        [3, "empty_line", 0],
        [4, "invalid_utf8", 1],
        [6, "line_too_long", expect.any(Number)],
      ],
      lines: 7,
      bytesRead: bytes.length,
    });
  });

  it("gives back any lines in any chunks", async () => {
    const line = fc.string({
      unit: fc.constantFrom("a", "é", "战", "\0", " ", "\t"),
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line),
        fc.integer({ min: 1, max: 50 }),
        fc.boolean(),
        async (lines, size, isGzip) => {
          const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
          const { records } = await parseAll(chunksOf(isGzip ? gzipSync(bytes) : bytes, size));
          expect(records).toEqual(lines);
        },
      ),
    );
  });

  it("is empty when the source is", async () => {
    expect(await parseAll(chunksOf(Buffer.of(), 1))).toEqual({
      records: [],
      failures: [],
      lines: 0,
      bytesRead: 0,
    });
  });

  it("keeps memory bounded and time linear for one huge line", async () => {
    async function* huge(): AsyncGenerator<Uint8Array> {
      const chunk = Buffer.alloc(65_536, "x");
      for (let count = 0; count < 3_200; count++) yield chunk;
      yield Buffer.from("\nok\n");
    }
    expect(await parseAll(huge())).toMatchObject({ records: ["ok"], failures: [[1, "line_too_long", 0]] });
  });

  it("survives a source that uses its buffer again", async () => {
    async function* reusing(): AsyncGenerator<Uint8Array> {
      const buffer = Buffer.alloc(4);
      for (const text of ["abcd", "e\nfg", "hi\n."]) {
        buffer.write(text);
        yield buffer;
      }
    }
    expect((await parseAll(reusing())).records).toEqual(["abcde", "fghi", "."]);
  });
});

describe("gzip", () => {
  it("of several members is one stream", async () => {
    const bytes = Buffer.concat([gzipSync("a\nb"), gzipSync("c\n")]);
    const { records, bytesRead } = await parseAll(chunksOf(bytes, 5));
    expect(records).toEqual(["a", "bc"]);
    expect(bytesRead).toBe(bytes.length);
  });

  it("is left alone if configured", async () => {
    expect((await parseAll(chunksOf(gzipSync("a\n"), 5), { gzip: "off" })).records).toEqual([]);
  });

  it.each([
    ["cut off", gzipSync("a\n".repeat(1_000)).subarray(0, 30), "unexpected end of file"],
    ["spoiled", Buffer.concat([gzipSync("a").subarray(0, 10), Buffer.alloc(20, 0xff)]), "invalid"],
  ])("that is %s rejects", async (_name, bytes, message) => {
    await expect(parseAll(chunksOf(bytes, 100))).rejects.toThrow(message);
  });

  it("rejects when the source does", async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield gzipSync("a\n").subarray(0, 12);
      throw new Error("disk gone");
    }
    await expect(parseAll(failing())).rejects.toThrow("disk gone");
  });

  it("stops on request", async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await expect(parseAll(chunksOf(Buffer.from("a\n"), 1), { signal })).rejects.toThrow("interrupted");
  });
});
