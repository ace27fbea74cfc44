import { appendFile, chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type FileSystem, nodeFileSystem } from "../../../store/deadletters/append-file.ts";
import { type NdjsonDeadLettersOptions, openNdjsonDeadLetters } from "../../../store/deadletters/ndjson.ts";
import { batch, createTallies, describeDeadLetters, letter } from "../../conformance/deadletters.ts";

let folder: string;
let used = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "engage-deadletters-"));
});
afterAll(() => rm(folder, { recursive: true }));

function newFile(): string {
  return join(folder, String(used++), "letters", "parser.ndjson");
}

async function readLines(file: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(file, "utf8");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

function open(options: Partial<NdjsonDeadLettersOptions> & { file: string }) {
  const tallies = createTallies();
  const letters = openNdjsonDeadLetters({ maxBytes: 1e6, keepFiles: 2, observer: tallies, ...options });
  return { letters, counts: tallies.counts };
}

const oneLetter = batch(letter()).ndjson.length;

it("writes a dead letter which arrives just as the last one was written", async () => {
  const file = newFile();
  const observer = {
    ...createTallies(),
    written: vi.fn().mockImplementationOnce(() => queueMicrotask(() => letters.append(batch(letter())))),
  };
  const letters = openNdjsonDeadLetters({ file, maxBytes: 1e6, keepFiles: 1, observer });
  letters.append(batch(letter()));
  await vi.waitFor(() => expect(observer.written).toHaveBeenCalledTimes(2));
  await letters[Symbol.asyncDispose]();
});

describeDeadLetters(async (observer) => {
  const file = newFile();
  const letters = openNdjsonDeadLetters({ file, maxBytes: 1e6, keepFiles: 1, observer });
  return { letters, read: () => readLines(file) };
});

describe("file of dead letters", () => {
  it("is created with the first dead letter, for its owner only", async () => {
    const file = newFile();
    const { letters } = open({ file });
    await letters.flush();
    await expect(stat(file)).rejects.toThrow("ENOENT");
    letters.append(batch(letter()));
    await letters[Symbol.asyncDispose]();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, ".."))).mode & 0o777).toBe(0o700);
  });

  it("continues where it ended, on a new line after a crash", async () => {
    const file = newFile();
    const first = open({ file });
    first.letters.append(batch(letter({ line: "before" })));
    await first.letters[Symbol.asyncDispose]();
    await appendFile(file, '{"torn":');
    const second = open({ file });
    second.letters.append(batch(letter({ line: "after" })));
    await second.letters[Symbol.asyncDispose]();
    const lines = (await readFile(file, "utf8")).split("\n");
    expect(lines).toEqual([
      expect.stringContaining("before"),
      '{"torn":',
      expect.stringContaining("after"),
      "",
    ]);
  });

  it("is rotated before it grows too large, within a batch too, and the oldest are deleted", async () => {
    const file = newFile();
    const { letters, counts } = open({ file, maxBytes: 3 * oneLetter, keepFiles: 2 });
    letters.append(batch(...Array.from({ length: 20 }, (_, n) => letter({ line: String(n % 10) }))));
    await letters[Symbol.asyncDispose]();
    expect((await readdir(join(file, ".."))).sort()).toEqual([
      "parser.ndjson",
      "parser.ndjson.1",
      "parser.ndjson.2",
    ]);
    const kept = [
      ...(await readLines(`${file}.2`)),
      ...(await readLines(`${file}.1`)),
      ...(await readLines(file)),
    ];
    expect(kept.map(({ line }) => line)).toEqual(["2", "3", "4", "5", "6", "7", "8", "9"]);
    expect(counts).toEqual({ written: 20, dropped: 0, failed: 0, resumed: 0 });
  });

  it("can contain one dead letter larger than the maximum file size", async () => {
    const file = newFile();
    const { letters } = open({ file, maxBytes: 300, keepFiles: 1 });
    letters.append(batch(letter({ line: "a" }), letter({ line: "b".repeat(1_000) }), letter({ line: "c" })));
    await letters[Symbol.asyncDispose]();
    expect((await readLines(`${file}.1`)).map(({ line }) => line)).toEqual(["b".repeat(1_000)]);
    expect((await readLines(file)).map(({ line }) => line)).toEqual(["c"]);
  });

  it("has no rotated files when none may be kept", async () => {
    const file = newFile();
    const { letters } = open({ file, maxBytes: oneLetter, keepFiles: 0 });
    letters.append(batch(letter({ line: "1" }), letter({ line: "2" })));
    await letters[Symbol.asyncDispose]();
    expect(await readdir(join(file, ".."))).toEqual(["parser.ndjson"]);
    expect(await readLines(file)).toMatchObject([{ line: "2" }]);
  });
});

/** A disk that takes `room` more bytes, then refuses as a full one does: in the middle of a write. */
function createDisk(room: number) {
  const disk = { room, canCut: true };
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    async open(path, flags, mode) {
      const handle = await nodeFileSystem.open(path, flags, mode);
      return {
        stat: handle.stat.bind(handle),
        read: handle.read.bind(handle),
        sync: handle.sync.bind(handle),
        close: handle.close.bind(handle),
        truncate: (length: number) =>
          disk.canCut ? handle.truncate(length) : Promise.reject(new Error("EIO: cannot cut")),
        write: (async (bytes: Uint8Array, offset: number, length: number) => {
          const taken = Math.min(length, disk.room);
          if (taken === 0) throw new Error("ENOSPC: no space left on device");
          disk.room -= taken;
          return handle.write(bytes, offset, taken);
        }) as never,
      };
    },
  };
  return { disk, fileSystem };
}

describe("a full disk", () => {
  it.each([
    [true, ["1", "2", "3", "4"]],
    [false, ["1", "torn", "2", "3", "4"]],
  ])("is waited for, leaving no half line (can be cut: %s)", async (canCut, expected) => {
    const file = newFile();
    const { disk, fileSystem } = createDisk(oneLetter + 10);
    disk.canCut = canCut;
    const { letters, counts } = open({ file, fileSystem });
    letters.append(batch(letter({ line: "1" })));
    await letters.flush();
    letters.append(batch(letter({ line: "2" })));
    letters.append(batch(letter({ line: "3" })));
    await letters.flush();
    await letters.flush();
    expect(counts).toEqual({ written: 1, dropped: 0, failed: 1, resumed: 0 });
    disk.room = 1e6;
    letters.append(batch(letter({ line: "4" })));
    await letters.flush();
    expect(counts).toEqual({ written: 4, dropped: 0, failed: 1, resumed: 1 });
    await letters[Symbol.asyncDispose]();
    const lines = (await readFile(file, "utf8")).split("\n").slice(0, -1);
    expect(lines.map((line) => /"line":"(\d)"/.exec(line)?.[1] ?? "torn")).toEqual(expected);
  });

  it("is retried automatically", async () => {
    const file = newFile();
    const { disk, fileSystem } = createDisk(0);
    const { letters, counts } = open({ file, fileSystem, retryMs: 1 });
    letters.append(batch(letter()));
    await letters.flush();
    disk.room = 1e6;
    await vi.waitFor(() => expect(counts).toMatchObject({ written: 1, resumed: 1 }));
    await letters[Symbol.asyncDispose]();
  });

  it("drops what exceeds the buffer, and what is left when it closes", async () => {
    const { fileSystem } = createDisk(0);
    const { letters, counts } = open({ file: newFile(), fileSystem, maxBufferedBytes: 2 * oneLetter });
    for (let count = 0; count < 5; count++) letters.append(batch(letter()));
    await letters.flush();
    expect(counts).toEqual({ written: 0, dropped: 3, failed: 1, resumed: 0 });
    await letters[Symbol.asyncDispose]();
    expect(counts.dropped).toBe(5);
  });

  it("can prevent a rotation, which happens later", async () => {
    const file = newFile();
    let canRename = false;
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      rename: (from, to) =>
        canRename ? nodeFileSystem.rename(from, to) : Promise.reject(new Error("EROFS: read-only")),
    };
    const { letters, counts } = open({ file, fileSystem, maxBytes: oneLetter });
    letters.append(batch(letter({ line: "1" }), letter({ line: "2" })));
    await letters.flush();
    expect(counts).toMatchObject({ written: 0, failed: 1 });
    canRename = true;
    await letters[Symbol.asyncDispose]();
    expect(await readLines(`${file}.1`)).toMatchObject([{ line: "1" }]);
    expect(await readLines(file)).toMatchObject([{ line: "2" }]);
  });
});

it("reports a folder which can't be created without throwing", async () => {
  const blocked = join(folder, "blocked");
  await writeFile(blocked, "a file");
  await chmod(blocked, 0o400);
  const { letters, counts } = open({ file: join(blocked, "parser.ndjson") });
  letters.append(batch(letter()));
  await letters[Symbol.asyncDispose]();
  expect(counts).toMatchObject({ written: 0, dropped: 1, failed: 1 });
});
