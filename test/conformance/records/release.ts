import { describe, expect, it } from "vitest";
import { type CreatePlace, readAll, record } from "./place.ts";

export function testRelease(createPlace: CreatePlace): void {
  describe("release", () => {
    it("deletes files which end at or before a place, except the file in use", async () => {
      await using place = await createPlace();
      await using opened = await place.open({ maxBytes: 8 });
      const { spool, reader } = opened;
      for (const n of [1, 2, 3]) await spool.append(record(`{"n":${n}}`));
      await reader.release({ number: 1, offset: 7 });
      expect(await place.files()).toEqual([1, 2, 3]);
      await reader.release({ number: 1, offset: 8 });
      expect(await place.files()).toEqual([2, 3]);
      await reader.release({ number: 3, offset: 8 });
      expect(await place.files()).toEqual([3]);
      expect(await reader.start()).toEqual({ number: 3, offset: 0 });
      expect(await readAll(reader, await reader.start())).toEqual(['{"n":3}']);
    });

    it("deletes many files, and may be repeated", async () => {
      await using place = await createPlace();
      await using opened = await place.open({ maxBytes: 1 });
      const { spool, reader } = opened;
      for (let n = 1; n <= 40; n++) await spool.append(record(`{"n":${n}}`));
      const end = await spool.end();
      await Promise.all([reader.release(end), reader.release(end)]);
      expect(await place.files()).toEqual([40]);
      await reader.release(end);
      await spool.append(record("{}"));
      expect(await readAll(reader, end)).toEqual(["{}"]);
    });

    it("lets a reader continue which is in a deleted file", async () => {
      await using place = await createPlace();
      await using opened = await place.open({ maxBytes: 20 });
      const { spool, reader } = opened;
      for (const n of [1, 2, 3, 4]) await spool.append(record(`{"n":${n}}`));
      const first = (await reader.read(await reader.start(), 8))!;
      await reader.release({ number: 1, offset: 16 });
      expect(await readAll(reader, first.to, 8)).toEqual(['{"n":3}', '{"n":4}']);
    });
  });
}
