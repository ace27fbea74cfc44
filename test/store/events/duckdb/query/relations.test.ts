import { expect, it } from "vitest";
import { Database } from "../../../../../store/events/duckdb/database.ts";
import { createQueries } from "../../../../../store/events/duckdb/query/query.ts";
import { relationsFor } from "../../../../../store/events/duckdb/query/relations.ts";
import type { Scan } from "../../../../../store/events/events.ts";
import {
  dayMs,
  eventOf,
  noonMs,
  noSignal,
  openStore,
  updateOf,
} from "../../../../conformance/events/world.ts";
import { createDuckDbWorld } from "../duckdb-world.ts";

const where = { kind: "always", value: true } as const;
const userId = { kind: "builtin", name: "user_id" } as const;
const range = { startMs: noonMs - dayMs / 2, endMs: noonMs + dayMs / 2 };

/** Counts and users of the same events, which are worth keeping when there are not too many. */
const scan: Scan = {
  projectId: 1,
  zone: [{ fromMs: -Infinity, offsetMs: 0 }],
  keys: [],
  totals: false,
  buckets: { ...range, localEdges: [range.startMs, range.endMs] },
  measures: [
    { events: undefined, where, aggregate: { kind: "count" } },
    { events: undefined, where, aggregate: { kind: "distinct", of: userId, as: "value" } },
  ],
};

it("counts events that later records may change among the rows of a range", async () => {
  const world = await createDuckDbWorld();
  await using opened = await openStore(async () => world);
  const updates = ["a", "b", "c"].map((i) => updateOf({ i }));
  await opened.load({ events: [eventOf()], updates: [...updates, updateOf({ i: "d", t: noonMs + dayMs })] });
  await opened.store[Symbol.asyncDispose]();
  const database = await Database.open(world.options);
  try {
    await using query = await createQueries(database, { maxQueries: 1, maxWaiting: 0 }).open(
      { projectId: 1 },
      noSignal(),
    );
    expect((await relationsFor(query, scan)).rowsAtMost(range)).toBe(4);
  } finally {
    await database.close();
  }
});
