import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  cursor,
  eventually,
  folder,
  nameOf,
  openBench,
  range,
  segments,
  spoolOf,
  useFolder,
} from "./forward-bench.ts";

useFolder();

describe("position on disk", () => {
  it.each([
    ["is torn", '{"number":1,"off'],
    ["is empty", ""],
    ["is no object", "null"],
    ["has no sense", '{"number":1,"offset":-8}'],
    ["is inside a record", '{"number":1,"offset":11}'],
    ["is after the end", '{"number":1,"offset":800}'],
    ["is in a file that is gone", '{"number":7,"offset":0}'],
  ])("that %s makes records go out again, and none lost", async (_what, text) => {
    const spool = await spoolOf(range(3));
    writeFileSync(join(folder, "forward.json"), text);
    const bench = openBench(spool);
    await eventually(() => bench.taken).toEqual(range(3));
    expect(bench.failures).toHaveLength(1);
    await eventually(cursor).toEqual({ number: 1, offset: 24 });
  });

  it("in a deleted file is followed by the next file", async () => {
    const spool = await spoolOf(range(6), { maxFileBytes: 16 });
    writeFileSync(join(folder, "forward.json"), '{"number":1,"offset":8}');
    rmSync(join(folder, nameOf(1)));
    const bench = openBench(spool);
    await eventually(() => bench.taken).toEqual(range(4, 2));
  });

  it("which can't be written blocks nothing, and no file is deleted", async () => {
    const spool = await spoolOf(range(6), { maxFileBytes: 16 });
    mkdirSync(join(folder, "forward.json.new"));
    const bench = openBench(spool);
    await eventually(() => bench.taken).toEqual(range(6));
    expect(segments()).toEqual([1, 2, 3].map(nameOf));
    expect(bench.failures[0]).toMatch(/EISDIR/);
  });
});

describe("spool files", () => {
  it("are deleted when they are completely forwarded, except the last", async () => {
    const spool = await spoolOf(range(7), { maxFileBytes: 16 });
    const bench = openBench(spool);
    await eventually(() => bench.taken).toEqual(range(7));
    await eventually(segments).toEqual([nameOf(4)]);
    await bench.forwarder[Symbol.asyncDispose]();
    await spool[Symbol.asyncDispose]();
    const again = openBench(await spoolOf(range(3, 7), { maxFileBytes: 16 }));
    await eventually(() => again.taken).toEqual(range(3, 7));
    await eventually(segments).toEqual([nameOf(5)]);
  });

  it("are kept when configured so", async () => {
    const bench = openBench(await spoolOf(range(7), { maxFileBytes: 16 }), { deleteForwarded: false });
    await eventually(() => bench.taken).toEqual(range(7));
    await eventually(cursor).toEqual({ number: 4, offset: 8 });
    expect(segments()).toEqual([1, 2, 3, 4].map(nameOf));
  });
});
