import { describe, expect, it } from "vitest";
import { type CreatePlace, readAll, record } from "./place.ts";

export function testReading(createPlace: CreatePlace): void {
  describe("reader of records", () => {
    it.each([1, 10, 25, 1_000_000])("gives all lines, whole, in pieces of %i bytes", async (maxBytes) => {
      await using place = await createPlace();
      await using opened = await place.open({ maxBytes: 64 });
      const { spool, reader } = opened;
      const lines = Array.from({ length: 40 }, (_, n) => `{"n":"${"x".repeat(n)}"}`);
      for (const line of lines) await spool.append(record(line));
      expect(await readAll(reader, await reader.start(), maxBytes)).toEqual(lines);
      expect((await place.files()).length).toBeGreaterThan(10);
    });

    it.each([1, 10, 25, 1_000_000])("gives parts of groups in pieces of %i bytes", async (maxBytes) => {
      await using place = await createPlace();
      await using opened = await place.open({ maxBytes: 300 });
      const { spool, reader } = opened;
      const groups = Array.from({ length: 10 }, (_, group) =>
        Array.from({ length: 1 + group }, (_unused, n) => `{"n":"${"x".repeat(3 * n)}"}`),
      );
      for (const group of groups) await spool.appendLines(record(`${group.join("\n")}\n`));
      expect(await readAll(reader, await reader.start(), maxBytes)).toEqual(groups.flat());
    });

    it("reads at most the requested bytes, or one line", async () => {
      await using place = await createPlace();
      await using opened = await place.open();
      const { spool, reader } = opened;
      const long = `{"x":"${"x".repeat(1_000)}"}`;
      await spool.appendLines(record(`{}\n{}\n${long}\n{}\n`));
      const texts: string[] = [];
      for (let at = await reader.start(); ; ) {
        const chunk = await reader.read(at, 7);
        if (chunk === undefined) break;
        expect(chunk.from).toEqual(at);
        texts.push(Buffer.from(chunk.bytes).toString());
        at = chunk.to;
      }
      expect(texts.join("")).toBe(`{}\n{}\n${long}\n{}\n`);
      expect(texts[0]).toBe("{}\n{}\n");
      expect(texts.filter((text) => text.length > 7)).toEqual([expect.stringContaining(long)]);
    });

    it("gives memory which may be transferred", async () => {
      await using place = await createPlace();
      await using opened = await place.open();
      const { spool, reader } = opened;
      await spool.append(record("{}"));
      const start = await reader.start();
      for (let times = 0; times < 2; times++) {
        const chunk = (await reader.read(start, 100))!;
        expect(Buffer.from(structuredClone(chunk.bytes, { transfer: [chunk.bytes.buffer] }))).toEqual(
          record("{}\n"),
        );
      }
    });

    it("returns nothing at the end, and continues when there is more", async () => {
      await using place = await createPlace();
      await using opened = await place.open();
      const { spool, reader } = opened;
      const start = await reader.start();
      expect(start).toEqual({ number: 1, offset: 0 });
      expect(await reader.read(start, 100)).toBeUndefined();
      const grown = reader.grown();
      await spool.append(record("{}"));
      await grown;
      expect(await reader.read(start, 100)).toMatchObject({ from: start, to: { number: 1, offset: 3 } });
      expect(await reader.bytesAfter(start)).toBe(3);
      expect(await reader.end()).toEqual(await spool.end());
    });

    it("skips missing files", async () => {
      await using place = await createPlace();
      await using opened = await place.open({ maxBytes: 8 });
      const { spool, reader } = opened;
      for (const n of [1, 2, 3]) await spool.append(record(`{"n":${n}}`));
      await place.remove(1);
      await place.remove(2);
      expect(await reader.start()).toEqual({ number: 3, offset: 0 });
      expect(await readAll(reader, { number: 1, offset: 8 }, 100)).toEqual(['{"n":3}']);
      expect(await reader.bytesAfter({ number: 1, offset: 8 })).toBe(8);
      expect(await reader.bytesAfter({ number: 3, offset: 8 })).toBe(0);
    });

    it("counts the bytes after a place, in all files", async () => {
      await using place = await createPlace();
      await using opened = await place.open({ maxBytes: 16 });
      const { spool, reader } = opened;
      for (const n of [1, 2, 3]) await spool.append(record(`{"n":${n}}`));
      const counted = [
        [1, 0, 24],
        [1, 8, 16],
        [1, 16, 8],
        [2, 0, 8],
        [2, 8, 0],
      ] as const;
      for (const [number, offset, bytes] of counted) {
        expect(await reader.bytesAfter({ number, offset })).toBe(bytes);
      }
    });
  });
}
