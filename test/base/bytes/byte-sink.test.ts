import fc from "fast-check";
import { expect, it } from "vitest";
import { ByteSink, bytesOf } from "../../../base/bytes/byte-sink.ts";
import { literalOf } from "../../../base/bytes/literal.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.nat(300).map((length) => "x".repeat(length)),
  fc.constantFrom("é", "𝄞".repeat(30)),
);

const form = fc.constantFrom("copy", "literal", "text");

it("holds what was written, by copying, as literal or as text", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(form, text, fc.nat(5))), fc.nat(50), (parts, expectedBytes) => {
      const sink = new ByteSink(expectedBytes);
      const model: Buffer[] = [];
      for (const [writtenAs, part, before] of parts) {
        const bytes = Buffer.from(part);
        model.push(bytes);
        const source = bytesOf("-".repeat(before) + part);
        if (writtenAs === "copy") sink.copy(source, before, before + bytes.length);
        else if (writtenAs === "literal") sink.literal(literalOf(part));
        else sink.text(part);
      }
      expect(Buffer.from(sink.finish())).toEqual(Buffer.concat(model));
    }),
  );
});

it("holds literals and parts of a source in turn", () => {
  fc.assert(
    fc.property(text, fc.array(fc.tuple(text, text)), fc.nat(50), (first, others, expectedBytes) => {
      const sink = new ByteSink(expectedBytes);
      const parts = others.map(([part]) => part);
      const literals = [first, ...others.map(([, literal]) => literal)].map(literalOf);
      const ends = parts.map((_, index) => Buffer.byteLength(parts.slice(0, index + 1).join("")));
      const { view } = bytesOf(parts.join("").padEnd(100_000));
      sink.text("before");
      sink.interleave(literals, view, [0, ...ends], ends);
      const written = `before${first}${others.flat().join("")}`;
      expect(Buffer.from(sink.finish()).toString()).toBe(Buffer.from(written).toString());
    }),
  );
});

it("can be cut and written over", () => {
  const sink = new ByteSink(0);
  sink.text("abc");
  sink.byte(0x64);
  sink.overwrite(0, 0x41);
  sink.truncate(3);
  sink.text("é");
  expect([sink.length, sink.utf8(1, 5), sink.latin1(3)]).toEqual([5, "bcé", "Ã©"]);
});
