import { describe, expect, it } from "vitest";
import { shardOfUser, shardOfVisitor } from "../../../../store/events/clickhouse/shards.ts";

const ids = Array.from({ length: 30_000 }, (_, at) => at + 1);

describe("the shard", () => {
  /** Rows are stored where these say: the values must never change. */
  it.each([
    [1, 1],
    [2, 1],
    [1_000_000, 1],
    [2 ** 32, 0],
    [2 ** 32 + 1, 1],
    [Number.MAX_SAFE_INTEGER, 0],
  ])("of user %d is %d of 3", (userId, shard) => {
    expect(shardOfUser(userId, 3)).toBe(shard);
  });

  it.each([
    ["", 2],
    ["a", 0],
    ["device-1", 2],
    ["Zürich 😀", 2],
  ])("of visitor %j is %d of 3", (visitor, shard) => {
    expect(shardOfVisitor(visitor, 3)).toBe(shard);
  });

  it("is the only one of a store with one", () => {
    expect([shardOfUser(5, 1), shardOfVisitor("x", 1)]).toEqual([0, 0]);
  });

  it.each<[string, (id: number) => number]>([
    ["users in sequence", (id) => shardOfUser(id, 3)],
    ["users far apart", (id) => shardOfUser(id * 2 ** 33, 3)],
    ["visitors", (id) => shardOfVisitor(`device-${id}`, 3)],
  ])("has about as many of %s as the others", (_what, shardOf) => {
    const counts = [0, 0, 0];
    for (const id of ids) counts[shardOf(id)]!++;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});
