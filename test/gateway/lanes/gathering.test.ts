import fc from "fast-check";
import { expect, it } from "vitest";
import { Gathering } from "../../../gateway/lanes/gathering.ts";

function gather(chunks: readonly Buffer[], expectedBytes: number): Buffer | undefined {
  const gathering = new Gathering();
  for (const chunk of chunks) gathering.add(chunk, expectedBytes);
  return gathering.take();
}

const chunk = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));

it("gives the chunks in one piece, whatever size was announced", () => {
  fc.assert(
    fc.property(fc.array(chunk, { minLength: 1 }), fc.nat(10_000), (chunks, expectedBytes) => {
      expect(gather(chunks, expectedBytes)).toEqual(Buffer.concat(chunks));
    }),
  );
});

it("gives nothing for nothing", () => {
  expect(new Gathering().take()).toBeUndefined();
});

it("hands a single chunk on as it is", () => {
  const only = Buffer.from("only");
  expect(gather([only], 100)).toBe(only);
});

it("leaves a big message alone in its memory, so that it can be given to another thread", () => {
  const chunks = Array.from({ length: 100 }, () => Buffer.alloc(16_384, 7));
  expect(gather(chunks, 1_638_400)?.buffer.byteLength).toBe(1_638_400);
});

it("takes little memory for a size that is only announced", () => {
  const gathering = new Gathering();
  gathering.add(Buffer.alloc(1_000), 100_000_000);
  gathering.add(Buffer.alloc(1_000), 100_000_000);
  expect(gathering.bytes?.buffer.byteLength).toBe(65_536);
});
