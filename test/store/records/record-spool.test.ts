import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRecordSpool } from "../../../store/records/record-spool.ts";
import { RecordsUnavailableError } from "../../../store/records/records.ts";
import type { SegmentFileSystem, SegmentHandle } from "../../../store/records/segment.ts";

let root = "";
let folder = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "spool-"));
  folder = join(root, "records");
});
afterEach(() => rmSync(root, { recursive: true }));

const files = () => readdirSync(folder).sort();
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const first = "000000000001.ndjson";
const record = (text: string) => Buffer.from(text);

/** Returns a disk that counts syncs and fails on request. */
function flakyDisk(): SegmentFileSystem & { fail: Error | undefined; syncs: number } {
  const disk = {
    fail: undefined as Error | undefined,
    syncs: 0,
    async open(path: string, flags: string, mode: number): Promise<SegmentHandle> {
      const handle = await open(path, flags, mode);
      return {
        stat: handle.stat.bind(handle),
        truncate: (size) => handle.truncate(size),
        close: () => handle.close(),
        read: handle.read.bind(handle),
        write: handle.write.bind(handle),
        async datasync() {
          disk.syncs++;
          if (disk.fail !== undefined) throw disk.fail;
          await handle.datasync();
        },
      };
    },
  };
  return disk;
}

describe("records", () => {
  it("are lines in the order they came, on disk when append resolves", async () => {
    await using spool = openRecordSpool({ folder });
    await spool.append(record('{"a":1}'));
    expect(read(first)).toBe('{"a":1}\n');
    await spool.append(record('{"a":2}'));
    expect(read(first)).toBe('{"a":1}\n{"a":2}\n');
  });

  it("are readable only by their owner", async () => {
    await using spool = openRecordSpool({ folder });
    await spool.append(record("{}"));
    expect([statSync(folder).mode & 0o777, statSync(join(folder, first)).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
  });

  it("that wait together share a sync", async () => {
    const disk = flakyDisk();
    await using spool = openRecordSpool({ folder, fileSystem: disk });
    await Promise.all(Array.from({ length: 500 }, (_, n) => spool.append(record(`{"n":${n}}`))));
    expect(
      read(first)
        .split("\n")
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { n: number }).n),
    ).toEqual(Array.from({ length: 500 }, (_, n) => n));
    expect(disk.syncs).toBeLessThanOrEqual(2);
  });

  it("continue in the next file when one is full", async () => {
    await using spool = openRecordSpool({ folder, maxFileBytes: 20 });
    for (const n of [1, 2, 3, 4, 5]) await spool.append(record(`{"n":${n}}`));
    await spool.append(record(`{"long":"${"x".repeat(50)}"}`));
    expect(files().map((name) => read(name).split("\n").length - 1)).toEqual([2, 2, 1, 1]);
  });

  it("with a line end are refused", async () => {
    await using spool = openRecordSpool({ folder });
    await expect(spool.append(record("{\n}"))).rejects.toThrow(RangeError);
  });

  it("after closing are refused", async () => {
    const spool = openRecordSpool({ folder });
    await spool[Symbol.asyncDispose]();
    await expect(spool.append(record("{}"))).rejects.toThrow(RecordsUnavailableError);
  });

  it("under way are written before it closes", async () => {
    const spool = openRecordSpool({ folder });
    const pending = spool.append(record("{}"));
    await spool[Symbol.asyncDispose]();
    await pending;
    expect(read(first)).toBe("{}\n");
  });
});

describe("reopened spool", () => {
  it.each([
    ["whole lines", '{"a":1}\n', '{"a":1}\n{"b":1}\n'],
    ["a torn line", '{"a":1}\n{"torn":', '{"a":1}\n{"b":1}\n'],
    ["nothing but a torn line", '{"torn":', '{"b":1}\n'],
    ["a torn line longer than a read", `{"a":1}\n${"x".repeat(200_000)}`, '{"a":1}\n{"b":1}\n'],
  ])("goes on behind %s", async (_what, before, after) => {
    await using opened = openRecordSpool({ folder });
    await opened.append(record("{}"));
    writeFileSync(join(folder, first), before);
    await using spool = openRecordSpool({ folder });
    await spool.append(record('{"b":1}'));
    expect(read(first)).toBe(after);
  });

  it("continues in the last file", async () => {
    await using opened = openRecordSpool({ folder, maxFileBytes: 3 });
    await opened.append(record("{}"));
    await opened.append(record("{}"));
    await using spool = openRecordSpool({ folder });
    await spool.append(record('{"b":1}'));
    expect(files().map(read)).toEqual(["{}\n", '{}\n{"b":1}\n']);
  });
});

describe("failing disk", () => {
  it("fails the call, leaves nothing, and is used again after recovery", async () => {
    const disk = flakyDisk();
    await using spool = openRecordSpool({ folder, fileSystem: disk });
    await spool.append(record('{"a":1}'));
    disk.fail = new Error("ENOSPC: no space left on device");
    await expect(spool.append(record('{"lost":1}'))).rejects.toThrow(
      "cannot write to the record spool: ENOSPC: no space left on device",
    );
    disk.fail = undefined;
    await spool.append(record('{"b":1}'));
    expect(read(first)).toBe('{"a":1}\n{"b":1}\n');
  });

  it("that can't be opened fails the call with the reason", async () => {
    writeFileSync(folder, "in the way");
    await using spool = openRecordSpool({ folder });
    await expect(spool.append(record("{}"))).rejects.toThrow(
      /^cannot write to the record spool: cannot make the folder ".*": a file of that name is in the way$/,
    );
  });
});
