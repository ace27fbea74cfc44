import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { Database } from "../../../../../store/events/duckdb/database.ts";
import { bindStatement, duckdbDialect } from "../../../../../store/events/duckdb/query/dialect.ts";
import { createQueries } from "../../../../../store/events/duckdb/query/query.ts";
import { relationsOf } from "../../../../../store/events/duckdb/query/relations.ts";
import { ResultRows } from "../../../../../store/events/duckdb/query/rows.ts";
import { compileUsers } from "../../../../../store/events/sql/users.ts";
import { collectUsers } from "../../../../conformance/events/collect-users.ts";
import { scanOf } from "../../../../conformance/events/scan-world.ts";
import { eventOf, noSignal, openStore, userOf } from "../../../../conformance/events/world.ts";
import { createDuckDbWorld } from "../duckdb-world.ts";

/** A step of a plan that was run. */
interface Operator {
  readonly operator_name: string;
  /** The number of rows that it returned. */
  readonly operator_cardinality: number;
  readonly extra_info: { readonly Table?: string };
  readonly children: readonly Operator[];
}

const scansOf = (operator: Operator, table: string): readonly Operator[] => [
  ...((operator.extra_info?.Table ?? "").endsWith(`.${table}`) ? [operator] : []),
  ...operator.children.flatMap((child) => scansOf(child, table)),
];

const users = 3_000;
const listed = 100;

/**
 * Which rows a scan leaves out is a choice of the engine, which depends on the form of the statement. Without a filter
 * of the ids it reads the texts of all users.
 */
it.each([
  ["with a limit", { limit: 10_001 }],
  ["without one", {}],
])("the engine reads few users other than those of a list %s", async (_what, limited) => {
  const world = await createDuckDbWorld();
  await using opened = await openStore(async () => world);
  await opened.load({
    users: Array.from({ length: users }, (_, at) => userOf("set", { u: at + 1, a: `a${at}` })),
    events: Array.from({ length: listed }, (_, at) => eventOf({ u: (at * users) / listed + 1 })),
  });
  await opened.store[Symbol.asyncDispose]();
  const database = await Database.open(world.options);
  try {
    const queries = createQueries(database, { maxQueries: 1, maxWaiting: 0 });
    await using query = await queries.open({ projectId: 1 }, noSignal());
    const scan = { scan: scanOf(), group: [], properties: [], ...limited };
    const statement = compileUsers(scan, [], relationsOf(query.tables, 1), duckdbDialect);
    const [sql, ...bindings] = bindStatement(statement!);
    const rows = new ResultRows(await query.run(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, ...bindings));
    rows.moveTo(0);
    const [scanned, ...others] = scansOf(JSON.parse(String(rows.value(1))), "u1");
    expect(others).toEqual([]);
    expect(scanned?.operator_cardinality).toBeGreaterThanOrEqual(listed);
    expect(scanned?.operator_cardinality).toBeLessThan(users / 4);
  } finally {
    await database.close();
  }
});

/** Collects garbage and calls its finalizers. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  await turn();
  await turn();
}

it.each([
  ["with a limit", { limit: 10_001 }],
  ["without one", {}],
])("texts stay in memory until a list %s is read", async (_what, limited) => {
  // Texts of a chunk of the engine that are read in several pieces.
  const accountOf = (user: number) => `account ${user} `.padEnd(200, "abcdefghij");
  const ids = Array.from({ length: 2_000 }, (_, at) => at + 1);
  await using opened = await openStore(createDuckDbWorld);
  await opened.load({
    users: ids.map((u) => userOf("set", { u, a: accountOf(u) })),
    events: ids.map((u) => eventOf({ u })),
  });
  const scan = { scan: scanOf(), group: [], properties: [], ...limited };
  const read: (string | null)[] = [];
  for await (const chunk of opened.store.users(scan, noSignal())) {
    for (const { accountId } of chunk) read.push(accountId);
    await collectGarbage();
    // Another list gets memory that is free.
    if (read.length < 1_000) await collectUsers(opened.store.users(scan, noSignal()));
  }
  expect(read).toEqual(ids.map(accountOf));
});
