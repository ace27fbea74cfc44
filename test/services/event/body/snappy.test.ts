import fc from "fast-check";
import { compress } from "snappyjs";
import { expect, it } from "vitest";
import { inflateSnappy } from "../../../../services/event/ingest/inflate.ts";

const maxBytes = 4 * 2 ** 20;

it("comes back as it was", async () => {
  const texts = fc.array(fc.tuple(fc.string(), fc.nat(300)), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(texts, fc.uint8Array({ maxLength: 200 }), async (parts, bytes) => {
      const plain = Buffer.concat([
        Buffer.from(parts.map(([text, times]) => text.repeat(times)).join("")),
        bytes,
      ]);
      expect((await inflateSnappy(compress(plain), maxBytes)).equals(plain)).toBe(true);
    }),
    {
      examples: [
        [[["a", 300]], new Uint8Array(0)],
        [[], new Uint8Array(0)],
      ],
    },
  );
});

it("comes back when it is long", async () => {
  const plain = Buffer.from(Array.from({ length: 200_000 }, (_, i) => `{"n":${i * 7_919}}`).join(","));
  expect((await inflateSnappy(compress(plain), maxBytes)).equals(plain)).toBe(true);
});

it("is refused in one way, whatever is wrong with it", async () => {
  const packed = compress(Buffer.from("abcabcabcabc-0123456789-".repeat(40)));
  await fc.assert(
    fc.asyncProperty(fc.nat(packed.length - 1), fc.nat(255), fc.boolean(), async (at, byte, isCut) => {
      const changed = isCut ? packed.slice(0, at) : packed.with(at, byte);
      const outcome = await inflateSnappy(changed, 2_000).then(
        (plain) => typeof plain.length,
        (error: Error) => error.message,
      );
      expect([
        "number",
        "Data format error, not snappy",
        "Data format error, longer than 2000 bytes",
      ]).toContain(outcome);
    }),
  );
});

it.each([
  ["a copy from before the start", [4, 0, 0x61, 0x01, 5]],
  ["a copy from nowhere", [5, 0, 0x61, 0x01, 0]],
  ["a literal that goes on after the end", [9, 0x20, 0x61]],
  ["more than it says", [1, 4, 0x61, 0x61]],
  ["less than it says", [9, 0, 0x61]],
  ["a length of a literal that is cut", [200, 1, 0xf4, 1]],
])("is not %s", async (_name, bytes) => {
  await expect(inflateSnappy(Uint8Array.from(bytes), maxBytes)).rejects.toThrow(
    "Data format error, not snappy",
  );
});
