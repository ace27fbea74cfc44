import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addChecksums,
  checkLine,
  checksumBytes,
  moveChecksums,
  withoutChecksum,
} from "../../../base/files/line-checksum.ts";

const place = { number: 3, offset: 1_000 };
const linesOf = (bytes: Buffer): Buffer[] =>
  bytes
    .toString("latin1")
    .split("\n")
    .slice(0, -1)
    .map((one) => Buffer.from(one, "latin1"));
const checkedOf = (...texts: string[]) =>
  addChecksums(Buffer.from(texts.map((text) => `${text}\n`).join("")), place);

describe("a line with its checksum", () => {
  it("is JSON with one more member", () => {
    expect(checkedOf('{"a":1}').toString()).toMatch(/^\{"a":1,"#crc":"[0-9a-f]{8}"\}\n$/);
  });

  it("gives back the line that it was", () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1 }), {
          minLength: 1,
          maxLength: 4,
        }),
        (objects) => {
          const texts = objects.map((one) => JSON.stringify(one));
          const checked = checkedOf(...texts);
          let offset = place.offset;
          const found = linesOf(checked).map((line) => {
            const state = checkLine(line, { ...place, offset });
            offset += line.length + 1;
            return [state, Buffer.from(withoutChecksum(line)).toString()];
          });
          expect(found).toEqual(texts.map((text) => ["intact", text]));
          expect(checked).toHaveLength(
            Buffer.byteLength(texts.join("")) + texts.length * (1 + checksumBytes),
          );
        },
      ),
    );
  });

  it("is damaged when any byte of it is another", () => {
    const [line = Buffer.of()] = linesOf(checkedOf('{"p":1,"r":2,"b":[{"n":1}]}'));
    fc.assert(
      fc.property(fc.nat(line.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(line);
        changed[at]! ^= change;
        expect(checkLine(changed, place)).toBe("damaged");
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    { number: 3, offset: 1_001 },
    { number: 4, offset: 1_000 },
    { number: 3, offset: 0 },
  ])("is damaged when it stands at $number, $offset", (other) => {
    const [line = Buffer.of()] = linesOf(checkedOf('{"a":1}'));
    expect(checkLine(line, other)).toBe("damaged");
  });
});

it.each([
  "",
  "}",
  '{"a":1}',
  '{"p":1,"r":2,"b":[{"uuid":"12345678"}]}',
  '{"uuid":"x","code":"12345678"}',
  "no object",
])("a line of a version before is unchecked: %j", (text) => {
  expect(checkLine(Buffer.from(text), place)).toBe("unchecked");
});

it("leaves what does not end as an object as it is", () => {
  expect(checkedOf("x", "").toString()).toBe("x\n\n");
  expect(checkedOf('{"a":1}')).toHaveLength('{"a":1}\n'.length + checksumBytes);
});

describe("lines that are moved", () => {
  const places = fc.record({ number: fc.nat(), offset: fc.nat() });
  const texts = fc.array(
    fc.oneof(
      fc.nat().map((n) => `{"n":${n}}`),
      fc.constantFrom("{}", "1", "[]", '{"#crc":"0"}'),
    ),
    { minLength: 1, maxLength: 5 },
  );
  const linesAt = (all: readonly string[], at: { number: number; offset: number }) =>
    addChecksums(Buffer.from(all.map((text) => `${text}\n`).join("")), at);

  it("have the checksums of the new place", () => {
    fc.assert(
      fc.property(texts, places, places, (all, from, to) => {
        const lines = linesAt(all, from);
        moveChecksums(lines, from, to);
        expect(lines).toEqual(linesAt(all, to));
      }),
    );
  });

  it("stay damaged where they are", () => {
    fc.assert(
      fc.property(places, places, fc.nat(), fc.integer({ min: 1, max: 255 }), (from, to, where, change) => {
        const lines = linesAt(['{"n":1}', '{"n":2}'], from);
        const at = where % (lines.length / 2 - 1);
        lines[at]! ^= change;
        fc.pre(lines[at] !== 0x0a);
        moveChecksums(lines, from, to);
        const [first, second] = linesOf(lines);
        expect(checkLine(first!, to)).toBe("damaged");
        expect(checkLine(second!, { ...to, offset: to.offset + first!.length + 1 })).toBe("intact");
      }),
    );
  });

  it("may end within a line, which is left", () => {
    const lines = Buffer.concat([linesAt(["{}"], place), Buffer.from('{"half":')]);
    moveChecksums(lines, place, { number: 0, offset: 0 });
    expect(lines).toEqual(
      Buffer.concat([linesAt(["{}"], { number: 0, offset: 0 }), Buffer.from('{"half":')]),
    );
  });
});
