import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { divideLines } from "../../../../../store/events/clickhouse/load/divide-lines.ts";
import { shardOfUser } from "../../../../../store/events/clickhouse/shards.ts";

async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const users = Array.from({ length: 200 }, (_, at) => at * 7_919);
const lineOf = (u: number): string => `${JSON.stringify({ e: 1, t: -5, r: 2, u, d: "Zürich", p: {} })}\n`;
const lines = users.map(lineOf);
const partOf = (shard: number): string =>
  users
    .filter((u) => shardOfUser(u, 3) === shard)
    .map(lineOf)
    .join("");

describe("lines", () => {
  it.each([1, 7, 64, 1_000_000])("go to the shards of their users, in chunks of %d bytes", async (size) => {
    const parts = divideLines(chunks(Buffer.from(lines.join("")), size), 3);
    expect(await Promise.all(parts.map(text))).toEqual([0, 1, 2].map(partOf));
  });

  it("may have their keys in any order, and no end", async () => {
    const line = JSON.stringify({ d: '"u":3', u: 5, e: 1, t: 1, r: 1, p: { 1: '"u":3' } });
    const parts = divideLines(chunks(Buffer.from(`\n${line}`), 10), 3);
    const expected = [0, 1, 2].map((shard) => (shard === shardOfUser(5, 3) ? line : ""));
    expect(await Promise.all(parts.map(text))).toEqual(expected);
  });

  it("fail everywhere when the source fails", async () => {
    async function* broken(): AsyncGenerator<Buffer, void> {
      yield Buffer.from(lines[0]!);
      throw new Error("unreadable");
    }
    const read = divideLines(broken(), 2).map((part) => expect(text(part)).rejects.toThrow("unreadable"));
    await Promise.all(read);
  });

  it("are not read further when nobody wants those of a shard", async () => {
    const many = Buffer.from(lines.join("").repeat(2_000));
    const parts = divideLines(chunks(many, 65_536), 2);
    parts[0]!.destroy();
    await expect(text(parts[1]!)).rejects.toThrow("the rows of shard 1 are not wanted any more");
  });
});
