import fc from "fast-check";
import { expect, it } from "vitest";
import { MessageBuffer } from "../../../gateway/http/message-buffer.ts";

function gather(chunks: readonly Buffer[], expectedBytes: number): Buffer | undefined {
  const buffer = new MessageBuffer();
  for (const chunk of chunks) buffer.add(chunk, expectedBytes);
  return buffer.take();
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
  expect(new MessageBuffer().take()).toBeUndefined();
});

it("hands a single chunk on as it is", () => {
  const only = Buffer.from("only");
  expect(gather([only], 100)).toBe(only);
});

it("leaves a big message alone in its memory, so that it can be given to another thread", () => {
  const chunks = Array.from({ length: 100 }, () => Buffer.alloc(16_384, 7));
  const { buffer, byteOffset } = gather(chunks, 1_638_400)!;
  expect(byteOffset).toBe(0);
  // Memory of an earlier message has up to twice the size.
  expect(buffer.byteLength).toBeLessThanOrEqual(2 * 1_638_400);
});

it("takes little memory for a size that is only announced", () => {
  const buffer = new MessageBuffer();
  buffer.add(Buffer.alloc(1_000), 100_000_000);
  buffer.add(Buffer.alloc(1_000), 100_000_000);
  expect(buffer.bytes?.buffer.byteLength).toBeLessThanOrEqual(2 * 65_536);
});

it("uses the memory of discarded messages for the next, and never that of a message that was taken", () => {
  const fill = (byte: number) => {
    const buffer = new MessageBuffer();
    for (let at = 0; at < 20; at++) buffer.add(Buffer.alloc(16_384, byte), 9_000_000);
    return buffer;
  };
  const memoryOf = ({ bytes }: MessageBuffer) => bytes!.buffer;
  // More than are kept, since other files of this process may have left memory too.
  const many = 32;
  const discarded = Array.from({ length: many }, () => fill(1));
  const memory = new Set(discarded.map(memoryOf));
  for (const one of discarded) one.discard();
  expect(discarded.map((one) => one.take())).toEqual(Array(many).fill(undefined));
  const next = fill(2);
  const memoryOfNext = memoryOf(next);
  expect(memory.has(memoryOfNext)).toBe(true);
  const taken = next.take();
  const later = Array.from({ length: many }, () => fill(3));
  expect(new Set(later.map(memoryOf)).has(memoryOfNext)).toBe(false);
  expect(taken).toEqual(Buffer.alloc(20 * 16_384, 2));
});
