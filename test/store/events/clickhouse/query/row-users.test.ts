import { describe, expect, it } from "vitest";
import { RowUsers, rowColumnsOf } from "../../../../../store/events/clickhouse/query/row-users.ts";
import type { Property } from "../../../../../store/events/events.ts";
import { usersOfChunk } from "../../../../conformance/events/collect-users.ts";

const tags: Property = { table: "user", number: 1, name: "tags", type: "list" };
const level: Property = { table: "user", number: 2, name: "level", type: "number" };
const columns = rowColumnsOf({ ids: [] }, [tags, level]);

describe("rows of users", () => {
  it.each(["1", "999999999999999", "1000000000000001", "9007199254740993", "9223372036854775807"])(
    "have the number %s exactly",
    (id) => {
      const [user] = usersOfChunk(new RowUsers([[id, [], null, []]], columns));
      expect(user?.userId).toBe(BigInt(id));
    },
  );

  it.each<[string, readonly unknown[], Record<string, unknown>]>([
    ["a list and a number", ["1", ["a"], 5, []], { tags: ["a"], level: 5 }],
    ["an empty list", ["1", [], 5, [1]], { tags: [], level: 5 }],
    ["no list", ["1", [], null, []], {}],
  ])("have %s", (_what, row, properties) => {
    const users = new RowUsers([row], columns);
    expect([usersOfChunk(users)[0]?.properties, [...users][0]?.properties]).toEqual([properties, properties]);
  });
});
