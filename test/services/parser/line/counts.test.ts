import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBatchParser } from "../../../../services/parser/line/batch.ts";
import type { Format } from "../../../../services/parser/line/line.ts";

describe("the number of items", () => {
  const echo: Format = { name: "echo", parseLine: (line) => [JSON.stringify({ line }), line] };
  const separator = fc.constantFrom("::", ":ta:", "##", "战", "\u0002", "ab", "aba", "\n", " ");
  const piece = fc.string({
    unit: fc.constantFrom("a", "b", ":", "t", "#", "\0", "é", "战", " ", "\n", '"', "\\", "{", "}"),
  });

  it("is that of the request, as the caller counts, for any text", () => {
    fc.assert(
      fc.property(separator, fc.array(fc.tuple(piece, piece), { minLength: 1 }), (item, pairs) => {
        const content = pairs.map(([index, line]) => `${index}|=|${line}`).join(item);
        const sent = content.split(item).filter((part, at) => at === 0 || part.includes("|=|")).length;
        expect(answerOf(Buffer.from(content), item).split(item)).toHaveLength(sent);
      }),
    );
  });

  it("is that of the request for any bytes", () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 });
    const head = Buffer.from("i|=|");
    fc.assert(
      fc.property(separator, fc.array(bytes, { minLength: 1 }), (item, lines) => {
        const content = Buffer.concat(
          lines.flatMap((line, at) => [Buffer.from(at === 0 ? "" : item), head, line]),
        );
        const latin = content.toString("latin1").split(Buffer.from(item).toString("latin1"));
        const sent = latin.filter((part, at) => at === 0 || part.includes("|=|")).length;
        expect(answerOf(content, item).split(item)).toHaveLength(sent);
      }),
    );
  });

  function answerOf(content: Uint8Array, item: string): string {
    const parse = createBatchParser({
      formatFor: () => echo,
      separators: { item, index: "|=|", record: "\u0001" },
      maxLineBytes: 1_000,
      now: () => 0,
    });
    return Buffer.from(parse({ content, framing: "items", index: "", source: "test" }).content).toString(
      "utf8",
    );
  }
});
