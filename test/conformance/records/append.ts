import { describe, expect, it } from "vitest";
import { RecordsUnavailableError } from "../../../store/records/records.ts";
import { type CreatePlace, readAll, readLines, record } from "./place.ts";

export function testAppending(createPlace: CreatePlace): void {
  describe("records", () => {
    it("are lines in the order they came, on disk when append resolves", async () => {
      await using place = await createPlace();
      await using opened = await place.open();
      const { spool, reader } = opened;
      const start = await reader.start();
      await spool.append(record('{"a":1}'));
      expect(await readAll(reader, start)).toEqual(['{"a":1}']);
      await spool.append(record('{"a":2}'));
      expect(await readAll(reader, start)).toEqual(['{"a":1}', '{"a":2}']);
      expect(await spool.end()).toEqual({ number: 1, offset: 16 });
    });

    it("that wait together share a write", async () => {
      await using place = await createPlace();
      await using opened = await place.open();
      const { spool, reader } = opened;
      const lines = Array.from({ length: 500 }, (_, n) => `{"n":${n}}`);
      await Promise.all(lines.map((line) => spool.append(record(line))));
      expect(await readAll(reader, await reader.start())).toEqual(lines);
      expect(await place.writes()).toBeLessThanOrEqual(2);
    });

    it("are being written until append resolves", async () => {
      await using place = await createPlace();
      await using opened = await place.open();
      const { spool, reader } = opened;
      expect(reader.isWriting()).toBe(false);
      const appended = spool.append(record("{}"));
      expect(reader.isWriting()).toBe(true);
      await appended;
      expect(reader.isWriting()).toBe(false);
    });

    it("continue in the next file when one is full", async () => {
      await using place = await createPlace();
      await using opened = await place.open({ maxBytes: 20 });
      const { spool, reader } = opened;
      for (const n of [1, 2, 3, 4, 5]) await spool.append(record(`{"n":${n}}`));
      await spool.append(record(`{"long":"${"x".repeat(50)}"}`));
      const lines = await readLines(reader, await reader.start(), 1_000_000);
      expect(lines.map(({ number, offset }) => [number, offset])).toEqual([
        [1, 0],
        [1, 8],
        [2, 0],
        [2, 8],
        [3, 0],
        [4, 0],
      ]);
      expect(await spool.end()).toEqual({ number: 4, offset: 62 });
    });

    it("with a line end are refused", async () => {
      await using place = await createPlace();
      await using opened = await place.open();
      await expect(opened.spool.append(record("{\n}"))).rejects.toThrow(
        new RangeError("a record must not contain a line end"),
      );
    });

    it("after closing are refused", async () => {
      await using place = await createPlace();
      const { spool, [Symbol.asyncDispose]: close } = await place.open();
      await close();
      await expect(spool.append(record("{}"))).rejects.toThrow(
        new RecordsUnavailableError("the record spool is closed"),
      );
    });

    it("under way are written before it closes", async () => {
      await using place = await createPlace();
      const { spool, [Symbol.asyncDispose]: close } = await place.open();
      const pending = spool.append(record("{}"));
      await close();
      await pending;
      await using opened = await place.open();
      expect(await readAll(opened.reader, await opened.reader.start())).toEqual(["{}"]);
    });

    it("are refused when they are not admitted", async () => {
      await using place = await createPlace();
      const full = new RecordsUnavailableError("the disk is nearly full");
      const asked: number[] = [];
      const admit = (bytes: number): void => {
        asked.push(bytes);
        throw full;
      };
      await using opened = await place.open({ admit });
      await expect(opened.spool.append(record("{}"))).rejects.toBe(full);
      await expect(opened.spool.appendLines(record("{}\n{}\n"))).rejects.toBe(full);
      expect(asked).toEqual([3, 6]);
      expect(await opened.spool.end()).toEqual({ number: 1, offset: 0 });
    });

    it("beyond 16 MiB which wait are refused, and those which wait are stored", async () => {
      await using place = await createPlace();
      await using opened = await place.open();
      const { spool, reader } = opened;
      const large = record(`{"x":"${"x".repeat(6 * 2 ** 20)}"}`);
      const sent = Array.from({ length: 6 }, () => spool.append(large));
      await expect(sent[4]).rejects.toThrow(/^too many records wait for the /);
      await expect(sent[5]).rejects.toBeInstanceOf(RecordsUnavailableError);
      await Promise.all(sent.slice(0, 4));
      expect(await reader.bytesAfter(await reader.start())).toBe(4 * (large.length + 1));
    });
  });

  describe("lines appended at once", () => {
    it("are records like others", async () => {
      await using place = await createPlace();
      await using opened = await place.open();
      const { spool, reader } = opened;
      await Promise.all([
        spool.append(record("1")),
        spool.appendLines(record("2\n3\n")),
        spool.append(record("4")),
      ]);
      expect(await readAll(reader, await reader.start(), 100)).toEqual(["1", "2", "3", "4"]);
    });

    it.each(["", "1", "1\n2"])("must be whole, unlike %j", async (text) => {
      await using place = await createPlace();
      await using opened = await place.open();
      await expect(opened.spool.appendLines(record(text))).rejects.toThrow(
        new RangeError("lines must end with a line end"),
      );
    });
  });

  describe("failing writes", () => {
    it("fail the call, leave nothing, and are repeated after recovery", async () => {
      await using place = await createPlace();
      await using opened = await place.open();
      const { spool, reader } = opened;
      await spool.append(record('{"a":1}'));
      {
        await using _failing = await place.fail();
        const lost = spool.append(record('{"lost":1}'));
        await expect(lost).rejects.toThrow(RecordsUnavailableError);
        await expect(lost).rejects.toThrow(/^cannot write to the record spool: /);
      }
      await spool.append(record('{"b":1}'));
      expect(await readAll(reader, await reader.start())).toEqual(['{"a":1}', '{"b":1}']);
      expect(await spool.end()).toEqual({ number: 1, offset: 16 });
    });
  });

  describe("reopened spool", () => {
    it("continues in the last file", async () => {
      await using place = await createPlace();
      {
        await using opened = await place.open({ maxBytes: 3 });
        await opened.spool.append(record("{}"));
        await opened.spool.append(record("{}"));
      }
      await using opened = await place.open();
      const { spool, reader } = opened;
      expect(await spool.end()).toEqual({ number: 2, offset: 3 });
      await spool.append(record('{"b":1}'));
      expect(await readAll(reader, await reader.start())).toEqual(["{}", "{}", '{"b":1}']);
      expect(await spool.end()).toEqual({ number: 2, offset: 11 });
    });

    it.each([
      { after: { number: 1, offset: 3 }, next: { number: 1, offset: 6 } },
      { after: { number: 1, offset: 4 }, next: { number: 2, offset: 3 } },
      { after: { number: 7, offset: 0 }, next: { number: 8, offset: 3 } },
    ])("writes after $after", async ({ after, next }) => {
      await using place = await createPlace();
      {
        await using opened = await place.open();
        await opened.spool.append(record("{}"));
      }
      await using opened = await place.open({ after });
      const { spool, reader } = opened;
      await spool.append(record("[]"));
      expect(await spool.end()).toEqual(next);
      expect(await readAll(reader, after)).toEqual(["[]"]);
      expect(await reader.bytesAfter(after)).toBe(3);
    });
  });
}
