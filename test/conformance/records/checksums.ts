import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkLine, withoutChecksum } from "../../../base/files/line-checksum.ts";
import { type CreatePlace, readLines, record } from "./place.ts";

/** The bytes of a record with its checksum and its line end. */
const stored = (text: string): number => text.length + 18 + 1;

const zero = "0".charCodeAt(0);

/** Returns where the checksum of a line begins. */
function digitOf(bytes: Buffer, line: number): number {
  let at = -1;
  for (let found = 0; found <= line; found++) at = bytes.indexOf('"#crc":"', at + 1);
  return at + '"#crc":"'.length;
}

export function testChecksums(createPlace: CreatePlace): void {
  describe("checksums", () => {
    it("are of the place of each line, which is the same in every spool", async () => {
      const numbers = fc.array(fc.array(fc.nat(), { minLength: 1, maxLength: 6 }), {
        minLength: 1,
        maxLength: 8,
      });
      await fc.assert(
        fc.asyncProperty(numbers, fc.integer({ min: 1, max: 200 }), async (groups, maxBytes) => {
          await using place = await createPlace();
          const texts = groups.map((group) => group.map((n) => `{"n":${n}}`));
          await using opened = await place.open({ checksums: true, maxBytes: 150 });
          const { spool, reader } = opened;
          for (const group of texts) await spool.appendLines(record(`${group.join("\n")}\n`));
          const lines = await readLines(reader, { number: 1, offset: 0 }, maxBytes);
          expect(lines.map(({ number, offset }) => ({ number, offset }))).toEqual(placesOf(texts, 150));
          expect(lines.map(({ text, ...at }) => checkLine(record(text), at))).toEqual(
            lines.map(() => "intact"),
          );
          const plain = lines.map(({ text }) => Buffer.from(withoutChecksum(record(text))).toString());
          expect(plain).toEqual(texts.flat());
        }),
        { numRuns: 20 },
      );
    });

    it.each<{ what: string; change: (bytes: Buffer) => void; damaged: readonly number[] }>([
      {
        what: "byte of a line",
        damaged: [2],
        change: (bytes) => bytes.write("4", bytes.indexOf('"n":2') + 4),
      },
      {
        what: "digit of a checksum",
        damaged: [2],
        change: (bytes) => bytes.write(bytes[digitOf(bytes, 2)] === zero ? "1" : "0", digitOf(bytes, 2)),
      },
      { what: "digit which is none", damaged: [1], change: (bytes) => bytes.write("x", digitOf(bytes, 1)) },
      {
        what: "name of a checksum",
        damaged: [3],
        change: (bytes) => bytes.write("e", bytes.lastIndexOf("#crc") + 3),
      },
      { what: "end of a line", damaged: [0], change: (bytes) => bytes.write("]", bytes.indexOf("}\n")) },
      {
        what: "place of two lines of a group",
        damaged: [1, 2],
        change(bytes) {
          const [first, size] = [stored("{}"), stored('{"n":1}')];
          const line = Buffer.from(bytes.subarray(first, first + size));
          bytes.copyWithin(first, first + size, first + 2 * size);
          line.copy(bytes, first + size);
        },
      },
    ])("find a changed $what", async ({ change, damaged }) => {
      await using place = await createPlace();
      await using opened = await place.open({ checksums: true });
      const { spool, reader } = opened;
      await spool.append(record("{}"));
      await spool.appendLines(record('{"n":1}\n{"n":2}\n{"n":3}\n'));
      const check = async () => {
        const lines = await readLines(reader, { number: 1, offset: 0 }, 1_000);
        return lines.map(({ text, ...at }) => checkLine(Buffer.from(text, "latin1"), at));
      };
      expect(await check()).toEqual(["intact", "intact", "intact", "intact"]);
      await place.damage(change);
      expect(await check()).toEqual([0, 1, 2, 3].map((at) => (damaged.includes(at) ? "damaged" : "intact")));
    });
  });
}

/**
 * Returns the places of lines with checksums by the rule of all spools: a group which does not fit is in the next file.
 */
function placesOf(groups: readonly (readonly string[])[], maxBytes: number) {
  const places: { number: number; offset: number }[] = [];
  let end = { number: 1, offset: 0 };
  for (const group of groups) {
    const bytes = group.reduce((sum, text) => sum + stored(text), 0);
    if (end.offset > 0 && end.offset + bytes > maxBytes) end = { number: end.number + 1, offset: 0 };
    for (const text of group) {
      places.push(end);
      end = { number: end.number, offset: end.offset + stored(text) };
    }
  }
  return places;
}
