import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import type { StoredUser } from "../../../../../store/events/events.ts";
import { usersOfChunk } from "../../../../conformance/events/collect-users.ts";
import { noSignal, openStore, properties, userOf } from "../../../../conformance/events/world.ts";
import { createDuckDbWorld } from "../duckdb-world.ts";

const { nick } = properties;

/** Selects this many users with texts of this length and returns them as they come. */
async function select(users: number, length: number): Promise<(readonly StoredUser[])[]> {
  await using world = await openStore(createDuckDbWorld);
  const text = "é".repeat(length / 2);
  await world.load({
    users: Array.from({ length: users }, (_, at) =>
      userOf("set", { u: users - at, p: { [nick.number]: text } }),
    ),
  });
  const selection = { projectId: 1, where: { kind: "always", value: true } } as const;
  const pages: (readonly StoredUser[])[] = [];
  for await (const chunk of world.store.selectUsers(selection, noSignal())) pages.push(usersOfChunk(chunk));
  return pages;
}

it.each([
  ["long", 1_200, 2_000, 66],
  ["short", 3_000, 2, 256],
])(
  "reads users with %s texts some at a time, each once and in their order",
  async (_what, users, length, most) => {
    const pages = await select(users, length);
    expect(pages.flat().map(({ userId }) => Number(userId))).toEqual(
      Array.from({ length: users }, (_, at) => at + 1),
    );
    expect(Math.max(...pages.map((page) => page.length))).toBe(most);
  },
);

it("relies on the engine to keep the order of a table's rows over row groups that threads fill", async () => {
  const instance = await DuckDBInstance.create(":memory:", { threads: "4" });
  const connection = await instance.connect();
  const idsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getColumns()[0];
  await connection.run("CREATE TEMP TABLE found AS SELECT hash(range) AS id FROM range(400000) ORDER BY id");
  // A row group has 122,880 rows.
  expect(await idsOf("SELECT id FROM temp.found WHERE rowid >= 120000 AND rowid < 130000")).toEqual(
    await idsOf("SELECT id FROM temp.found ORDER BY id LIMIT 10000 OFFSET 120000"),
  );
  connection.closeSync();
  instance.closeSync();
});
