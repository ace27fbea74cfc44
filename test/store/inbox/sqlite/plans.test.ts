import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, it } from "vitest";
import type { BatchFilter, DeliveryFilter, PageRequest } from "../../../../store/inbox/inbox.ts";
import { listQuery } from "../../../../store/inbox/sql/batches.ts";
import { deliveriesQuery, rowsQuery } from "../../../../store/inbox/sql/rows/found-batches.ts";
import { inboxStore } from "../../../../store/inbox/sqlite/store.ts";

const db = new DatabaseSync(":memory:");
for (const migration of inboxStore.migrations) db.exec(migration);
afterAll(() => db.close());

/** Returns the steps of a query's plan. */
function planOf(sql: string, params: readonly unknown[]): readonly string[] {
  const text = sql.replaceAll(/\{(\w+)\}/g, "$1").replaceAll(/\$(\d)/g, "?$1");
  const rows = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...(params as never[]));
  return rows.map((row) => String(row["detail"]));
}

const batches: readonly (readonly [string, BatchFilter, Partial<PageRequest>, string])[] = [
  ["all", {}, {}, "SCAN b USING INDEX batches_time"],
  ["the next page", {}, { after: "5.5" }, "SEARCH b USING INDEX batches_time (accepted_at_ms<?)"],
  [
    "a time",
    { fromMs: 1, toMs: 2 },
    {},
    "SEARCH b USING INDEX batches_time (accepted_at_ms>? AND accepted_at_ms<?)",
  ],
  ["a channel", { channel: "c" }, {}, "SEARCH b USING INDEX batches_channel (channel=?)"],
  [
    "the next page of a channel",
    { channel: "c", fromMs: 1 },
    { after: "5.5" },
    "SEARCH b USING INDEX batches_channel (channel=? AND accepted_at_ms>? AND accepted_at_ms<?)",
  ],
  ["a request id", { requestId: "r" }, {}, "SEARCH b USING INDEX batches_request (request_id=?)"],
];
it.each(batches)("a page of batches by %s reads an index in its order", (_name, filter, page, step) => {
  const { sql, params } = listQuery(filter, { limit: 100, ...page });
  expect(planOf(sql, params)).toEqual([step, "SEARCH o USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN"]);
});

const from = { acceptedAtMs: 5, seq: 5, isIncluded: true };
const deliveries: readonly (readonly [string, DeliveryFilter, string])[] = [
  ["all", {}, "SEARCH b USING INDEX batches_time (accepted_at_ms<?)"],
  ["a channel", { channel: "c" }, "SEARCH b USING INDEX batches_channel (channel=? AND accepted_at_ms<?)"],
  [
    "a time",
    { fromMs: 1, toMs: 9 },
    "SEARCH b USING INDEX batches_time (accepted_at_ms>? AND accepted_at_ms<?)",
  ],
  [
    "a request id",
    { requestId: "r" },
    "SEARCH b USING INDEX batches_request (request_id=? AND accepted_at_ms<?)",
  ],
];
it.each(deliveries)("a page of deliveries by %s reads an index in its order", (_name, filter, step) => {
  const { sql, params } = deliveriesQuery(filter, { limit: 100, from });
  expect(planOf(sql, params)).toEqual([step]);
});

it.each([
  ["{work}", "SEARCH work USING INDEX work_batch (batch_seq<?)"],
  ["{dead}", "SEARCH dead USING INDEX dead_delivery (batch_seq<?)"],
])("a page of deliveries by their rows in %s reads an index in its order", (table, step) => {
  expect(planOf(rowsQuery(table), [5, 100])).toEqual([step]);
});
