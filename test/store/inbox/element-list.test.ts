import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeElements, encodeElements } from "../../../store/inbox/element-list.ts";

const size = fc.integer({ min: 0, max: 20_000_000 });
const gaps = fc.record({
  gap: fc.nat(500),
  skip: size,
  before: size,
  receipt: size,
  after: size,
  pushId: fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom("\ud83d", "\ude00", "x", "\0") }),
  ),
});

/** Elements in ascending order, with ranges up to the size of the largest bodies. */
const elementLists = fc.array(gaps, { maxLength: 8 }).map((list) => {
  let index = -1;
  let end = 0;
  return list.map(({ gap, skip, before, receipt, after, pushId }) => {
    index += gap + 1;
    const start = end + skip;
    const receiptStart = start + before;
    const receiptEnd = receiptStart + receipt;
    end = receiptEnd + after;
    return { index, pushId, start, end, receiptStart, receiptEnd };
  });
});

it("decodes every encoded list", () => {
  fc.assert(
    fc.property(elementLists, (elements) => {
      expect(decodeElements(encodeElements(elements))).toEqual(elements);
    }),
  );
});

it("takes 9 bytes and the push id for an element of ordinary size", () => {
  const elements = Array.from({ length: 500 }, (_, index) => {
    const start = 1 + index * 300;
    return {
      index,
      pushId: "0123456789",
      start,
      end: start + 299,
      receiptStart: start + 150,
      receiptEnd: start + 298,
    };
  });
  expect(encodeElements(elements).length).toBeLessThanOrEqual(500 * 19 + 8);
});

it("refuses a list of another form", () => {
  expect(() => decodeElements(Uint8Array.of(9, 0))).toThrow("unknown form 9");
});
