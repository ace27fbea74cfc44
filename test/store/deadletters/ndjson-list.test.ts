import { appendFile, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openNdjsonDeadLetters } from "../../../store/deadletters/ndjson.ts";
import { createNdjsonList } from "../../../store/deadletters/ndjson-list.ts";
import { describeDeadLetterList } from "../../conformance/deadletter-list.ts";
import { batch, createTallies, letter } from "../../conformance/deadletters.ts";

let folder: string;
let used = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "engage-deadletter-list-"));
});
afterAll(() => rm(folder, { recursive: true }));

function open({ maxBytes = 1e6, keepFiles = 100, maxScanBytes = 300 } = {}) {
  const file = join(folder, String(used++), "parser.ndjson");
  const letters = openNdjsonDeadLetters({ file, maxBytes, keepFiles, observer: createTallies() });
  onTestFinished(() => letters[Symbol.asyncDispose]());
  return { file, letters, list: createNdjsonList({ file, byIndex: true, maxScanBytes }) };
}

describe("in one file", () => {
  describeDeadLetterList(async () => open());
});

describe("in files of one dead letter each", () => {
  describeDeadLetterList(async () => open({ maxBytes: 200 }));
});

const linesIn = async (list: ReturnType<typeof open>["list"]): Promise<unknown[]> => {
  const { items } = await list.list({}, { limit: 100, order: "newest" });
  return items.map(({ line }) => line);
};

describe("files of dead letters", () => {
  it("may have incomplete lines and lines that are none", async () => {
    const { file, letters, list } = open({ maxScanBytes: 1e6 });
    letters.append(batch(letter({ line: "a" })));
    await letters.flush();
    await appendFile(file, '{"time":"torn\nnonsense\n\n');
    letters.append(batch(letter({ line: "b" })));
    await letters[Symbol.asyncDispose]();
    await appendFile(file, '{"time":"2026-01-01T00:00:00.000Z","line":"incom');
    expect(await linesIn(list)).toEqual(["b", "a"]);
    expect(await list.groups()).toMatchObject({ groups: [{ count: 2 }], isComplete: true });
    expect(await list.count({})).toEqual({ count: 2, next: null });
  });

  it("keep removed ones in their places, for other readers with another name of the time", async () => {
    const { file, letters, list } = open();
    letters.append(batch(letter({ line: "a" }), letter({ line: "b" })));
    await letters.flush();
    const before = await readFile(file, "utf8");
    const { items } = await list.list({}, { limit: 1, order: "oldest" });
    await list.remove(items.map(({ id }) => id));
    expect(await readFile(file, "utf8")).toBe(before.replace('"time"', '"done"'));
  });

  it("are found under their new names after a rotation, and deleted ones are passed over", async () => {
    const { letters, list } = open({ maxBytes: 200, keepFiles: 2, maxScanBytes: 1e6 });
    const add = async (...lines: string[]) => {
      letters.append(batch(...lines.map((line) => letter({ line }))));
      await letters.flush();
    };
    await add("a", "b", "c");
    const newest = await list.list({}, { limit: 1, order: "newest" });
    const oldest = await list.list({}, { limit: 1, order: "oldest" });
    expect([newest, oldest].map(({ items }) => items[0]!.line)).toEqual(["c", "a"]);
    await add("d");
    const next = await list.list({}, { limit: 5, order: "newest", after: newest.next! });
    expect(next.items.map(({ line }) => line)).toEqual(["b"]);
    const later = await list.list({}, { limit: 5, order: "oldest", after: oldest.next! });
    expect(later.items.map(({ line }) => line)).toEqual(["b", "c", "d"]);
    expect(await list.get(oldest.items[0]!.id)).toBeNull();
    expect(await list.remove([oldest.items[0]!.id, newest.items[0]!.id])).toBe(1);
    expect(await linesIn(list)).toEqual(["d", "b"]);
    await letters[Symbol.asyncDispose]();
  });

  it("may have lines longer than a block, and many blocks", async () => {
    const { letters, list } = open({ maxBytes: 1e7, maxScanBytes: 1e7 });
    const long = Array.from({ length: 40 }, (_, n) => `${n} ${"x".repeat(60_000)}`);
    letters.append(batch(...long.map((line) => letter({ line }))));
    await letters[Symbol.asyncDispose]();
    expect(await linesIn(list)).toEqual(long.toReversed());
    const { items } = await list.list({}, { limit: 100, order: "oldest" });
    expect(items.map(({ line }) => line)).toEqual(long);
  });

  it("beside files and folders with names like theirs", async () => {
    const { file, letters, list } = open();
    letters.append(batch(letter({ line: "a" })));
    await letters[Symbol.asyncDispose]();
    await appendFile(`${file}.bak`, batch(letter({ line: "no" })).ndjson);
    await mkdir(`${file}.d`);
    expect(await linesIn(list)).toEqual(["a"]);
  });

  it("that cannot be read are unavailable", async () => {
    const { file } = open();
    await mkdir(file, { recursive: true });
    const list = createNdjsonList({ file, byIndex: false });
    await expect(list.list({}, { limit: 1, order: "newest" })).rejects.toThrow("cannot be read");
  });
});
