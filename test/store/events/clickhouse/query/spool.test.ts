import { mkdtempDisposableSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createSpools } from "../../../../../store/events/clickhouse/query/spool.ts";

const arrivals = () => new PassThrough({ objectMode: true, highWaterMark: 1_000 });
const piecesOf = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, at) => Buffer.alloc(bytes, at + 1));

async function rest(reading: AsyncIterator<Buffer>): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for (let next = await reading.next(); next.done !== true; next = await reading.next())
    found.push(next.value);
  return found;
}

describe("a kept result", () => {
  it.each([
    ["that fits into memory", piecesOf(6, 1_000), 0],
    ["of which the first 5 MiB are in a file", piecesOf(6, 2 ** 20), 5 * 2 ** 20],
    ["of which all is in a file", piecesOf(5, 2 ** 20), 5 * 2 ** 20],
  ])("%s is read while it arrives, and again when it is whole", async (_what, pieces, inFile) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "spool-"));
    const spools = createSpools({ folder: folder.path, maxBytes: inFile });
    const parts = arrivals();
    await using spool = spools.keep(parts);
    const reading = spool.read()[Symbol.asyncIterator]();
    const waiting = reading.next();
    parts.write(pieces[0]);
    const first = (await waiting).value as Buffer;
    for (const piece of pieces.slice(1)) parts.write(piece);
    parts.end();
    const others = await rest(reading);
    expect(Buffer.concat([first, ...others]).equals(Buffer.concat(pieces))).toBe(true);
    const again = await rest(spool.read()[Symbol.asyncIterator]());
    expect(Buffer.concat(again).equals(Buffer.concat(pieces))).toBe(true);
    expect(await readdir(folder.path)).toEqual([]);
  });

  it.each([
    ["the result fails", 2 ** 30, (parts: PassThrough) => parts.destroy(new Error("lost")), "lost"],
    [
      "the folder is full",
      1_000,
      (parts: PassThrough) => parts.end(Buffer.alloc(5 * 2 ** 20)),
      "need more than 1000 bytes",
    ],
  ])("fails its readers when %s", async (_what, maxBytes, end, message) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "spool-"));
    const parts = arrivals();
    await using spool = createSpools({ folder: folder.path, maxBytes }).keep(parts);
    const reading = spool.read()[Symbol.asyncIterator]();
    parts.write(Buffer.from("some"));
    expect((await reading.next()).value).toEqual(Buffer.from("some"));
    const waiting = reading.next();
    end(parts);
    await expect(waiting).rejects.toThrow(message);
    await expect(spool.kept).rejects.toThrow(message);
  });
});
