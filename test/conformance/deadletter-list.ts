import { describe, expect, it } from "vitest";
import {
  DeadLetterCursorError,
  type DeadLetterList,
  type DeadLetters,
  type StoredDeadLetter,
  type StoredFilter,
} from "../../store/deadletters/deadletters.ts";
import { batch, letter } from "./deadletters.ts";

/** A list that counts by index and reads little in one call, with the store that writes it. */
export interface ListUnderTest {
  readonly letters: DeadLetters;
  readonly list: DeadLetterList;
}

type Order = "newest" | "oldest";

/** Writes dead letters of the lines, one millisecond apart. */
async function write(
  { letters }: ListUnderTest,
  lines: readonly string[],
  changes: Parameters<typeof letter>[0] = {},
): Promise<void> {
  letters.append(batch(...lines.map((line, at) => letter({ time: new Date(at), line, ...changes }))));
  await letters.flush();
}

interface Wanted {
  readonly order: Order;
  readonly filter?: StoredFilter;
  readonly limit?: number;
  readonly after?: string | null;
}

async function itemsOf(list: DeadLetterList, { order, filter = {}, limit = 2, after = null }: Wanted) {
  const items: StoredDeadLetter[] = [];
  let place = after ?? undefined;
  do {
    const page = await list.list(filter, { limit, order, after: place });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    place = page.next ?? undefined;
  } while (place !== undefined);
  return items;
}

async function linesOf(list: DeadLetterList, wanted: Wanted) {
  return (await itemsOf(list, wanted)).map(({ line }) => line);
}

async function countOf(list: DeadLetterList, filter: StoredFilter = {}): Promise<number> {
  let count = 0;
  let after: string | undefined;
  do {
    const part = await list.count(filter, after);
    count += part.count;
    after = part.next ?? undefined;
  } while (after !== undefined);
  return count;
}

async function groupsOf(list: DeadLetterList) {
  let found = await list.groups();
  while (!found.isComplete) found = await list.groups();
  return found.groups.toSorted((a, b) => (a.reason < b.reason ? -1 : 1));
}

/** Tests that every list of dead letters must pass. */
export function describeDeadLetterList(open: () => Promise<ListUnderTest>): void {
  describe("a list of dead letters", () => {
    it("is empty before the first", async () => {
      const { list } = await open();
      expect(await list.list({}, { limit: 1, order: "newest" })).toEqual({ items: [], next: null });
      expect(await list.groups()).toEqual({ groups: [], isComplete: true });
      expect(await countOf(list)).toBe(0);
    });

    it.each(["newest", "oldest"] as const)("has them page by page, the %s first", async (order) => {
      const under = await open();
      const lines = Array.from({ length: 7 }, (_, n) => `line ${n} 战`);
      await write(under, lines);
      const expected = order === "oldest" ? lines : lines.toReversed();
      expect(await linesOf(under.list, { order })).toEqual(expected);
      expect(await linesOf(under.list, { order, limit: 7 })).toEqual(expected);
    });

    it("has what was written, whatever it is", async () => {
      const under = await open();
      const changes = { index: undefined, format: undefined };
      await write(under, ["a", "x".repeat(70_000)], { source: "s", reason: "r", message: 'm "\n' });
      under.letters.append(batch(letter({ line: Buffer.of(0xff), lines: 3, ...changes })));
      await under.letters.flush();
      const items = await itemsOf(under.list, { order: "oldest" });
      const common = { source: "s", index: "a.log", format: "game", reason: "r", message: 'm "\n', lines: 1 };
      expect(items).toMatchObject([
        { ...common, timeMs: 0, line: "a", isCut: false },
        { ...common, timeMs: 1, line: "x".repeat(65_536), isCut: true },
        { index: undefined, format: undefined, line: Buffer.of(0xff), lines: 3, isCut: false },
      ]);
      expect(items.map(({ json }) => JSON.parse(json).time)).toEqual(
        items.map(({ timeMs }) => new Date(timeMs).toISOString()),
      );
      for (const item of items) expect(await under.list.get(item.id)).toEqual(item);
    });

    it("continues where a page ended, while others are appended", async () => {
      const under = await open();
      await write(under, ["a", "b", "c"]);
      const newest = await under.list.list({}, { limit: 1, order: "newest" });
      const oldest = await under.list.list({}, { limit: 2, order: "oldest" });
      await write(under, ["d"]);
      const after = newest.next;
      expect(await linesOf(under.list, { order: "newest", after })).toEqual(["b", "a"]);
      expect(await linesOf(under.list, { order: "oldest", after: oldest.next })).toEqual(["c", "d"]);
    });

    it("is searched by all that is known", async () => {
      const under = await open();
      await write(under, ["a", "b"], { message: "no JSON: 100%" });
      await write(under, ["c"], { reason: "other", index: "b.log", time: new Date(10) });
      const find = (filter: StoredFilter) => linesOf(under.list, { order: "oldest", filter });
      const [first] = (await under.list.list({}, { limit: 1, order: "oldest" })).items;
      const table: readonly (readonly [StoredFilter, readonly string[]])[] = [
        [{ reason: "other" }, ["c"]],
        [{ reason: "oth" }, []],
        [{ index: "a.log" }, ["a", "b"]],
        [{ text: "100%" }, ["a", "b"]],
        [{ text: "NO JSON" }, []],
        [{ fromMs: 1 }, ["b", "c"]],
        [{ fromMs: 1, untilMs: 10 }, ["b"]],
        [{ untilMs: 1 }, ["a"]],
        [{ id: first!.id }, ["a"]],
        [{ id: first!.id, reason: "other" }, []],
        [{ id: "unknown" }, []],
        [{ reason: "no\0ne" }, []],
      ];
      for (const [filter, expected] of table) {
        expect([filter, await find(filter)]).toEqual([filter, expected]);
        expect([filter, await countOf(under.list, filter)]).toEqual([filter, expected.length]);
      }
    });

    it("is counted by reason and index, with the newest of each, also after it has grown", async () => {
      const under = await open();
      await write(under, ["a", "b"]);
      const times = { oldestMs: 0, newestMs: 1 };
      expect(await groupsOf(under.list)).toMatchObject([
        { reason: "invalid_json", index: "a.log", count: 2, ...times, example: { line: "b" } },
      ]);
      await write(under, ["y".repeat(3_000)], { reason: "other", index: undefined });
      await write(under, ["c"], { time: new Date(20) });
      const groups = await groupsOf(under.list);
      expect(groups).toMatchObject([
        { reason: "invalid_json", count: 3, oldestMs: 0, newestMs: 20, example: { line: "c", timeMs: 20 } },
        { reason: "other", index: undefined, count: 1, example: { line: "y".repeat(2_048), json: "" } },
      ]);
      expect(groups.every(({ bytes }) => bytes > 100)).toBe(true);
    });

    it("has no removed one, by any way to look", async () => {
      const under = await open();
      await write(under, ["a", "b", "c", "d"]);
      expect(await groupsOf(under.list)).toMatchObject([{ count: 4 }]);
      const { items, next } = await under.list.list({}, { limit: 2, order: "oldest" });
      const ids = items.map(({ id }) => id);
      expect(await under.list.remove([ids[1]!, ids[1]!, "unknown"])).toBe(1);
      expect(await under.list.remove(ids)).toBe(1);
      expect(await under.list.remove([])).toBe(0);
      expect(await linesOf(under.list, { order: "newest" })).toEqual(["d", "c"]);
      expect(await under.list.get(ids[0]!)).toBeNull();
      expect(await countOf(under.list)).toBe(2);
      expect(await groupsOf(under.list)).toMatchObject([{ count: 2, oldestMs: 2 }]);
      expect(await linesOf(under.list, { order: "oldest", after: next })).toEqual(["c", "d"]);
    });

    it.each(["", "nonsense", "1' OR 1=1", "9".repeat(400)])(
      "knows the page %j for a foreign one",
      async (after) => {
        const { list } = await open();
        await expect(list.list({}, { limit: 1, order: "newest", after })).rejects.toThrow(
          DeadLetterCursorError,
        );
        await expect(list.count({}, after)).rejects.toThrow(DeadLetterCursorError);
      },
    );
  });
}
