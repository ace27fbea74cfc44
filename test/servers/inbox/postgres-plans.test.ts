import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { BatchFilter, DeliveryFilter, PageRequest } from "../../../store/inbox/inbox.ts";
import { migrate } from "../../../store/inbox/postgres/open.ts";
import { inboxStore } from "../../../store/inbox/postgres/store.ts";
import { listQuery } from "../../../store/inbox/sql/batches.ts";
import { deliveriesQuery, rowsQuery } from "../../../store/inbox/sql/rows/found-batches.ts";
import { inSchema } from "../../../store/sql/postgres/store.ts";
import { openPostgresServer, type PostgresServer } from "./postgres-server.ts";

let server: PostgresServer;
let client: Client;

/** An inbox of 100,000 batches, since the plans for a small table differ. */
beforeAll(async () => {
  server = await openPostgresServer();
  await migrate(server, "inbox");
  server.query(`INSERT INTO inbox.batches (channel, request_id, accepted_at_ms, routes)
    SELECT 'c' || n % 10, '"r' || n || '"', n, '[]' FROM generate_series(1, 100000) n;
    INSERT INTO inbox.bodies (batch_seq, elements, body) SELECT seq, '', '' FROM inbox.batches;
    INSERT INTO inbox.work (batch_seq, channel, target, element_indexes, element_count, attempt, due_at_ms,
        leased, lease_key, is_ordered, body_bytes)
      SELECT seq, channel, 't', '0', 1, 0, 0, 0, 0, 0, 0 FROM inbox.batches;
    INSERT INTO inbox.dead (batch_seq, element_index, channel, target, push_id, reason, attempts,
        accepted_at_ms, died_at_ms)
      SELECT seq, 0, channel, 't', '"a"', 'no', 1, 0, 0 FROM inbox.batches;
    ANALYZE`);
  client = new Client({ connectionString: server.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await server[Symbol.asyncDispose]();
});

async function planOf(sql: string, params: readonly unknown[]): Promise<string> {
  const text = `EXPLAIN (COSTS OFF) ${inSchema(inboxStore, sql, "inbox")}`;
  const { rows } = await client.query<{ "QUERY PLAN": string }>(text, [...params]);
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

const batches: readonly (readonly [string, BatchFilter, Partial<PageRequest>, string])[] = [
  ["all", {}, {}, "batches_time"],
  ["the next page", {}, { after: "90000.90000" }, "batches_time"],
  ["a time", { fromMs: 50_000, toMs: 60_000 }, {}, "batches_time"],
  ["a channel", { channel: "c1" }, {}, "batches_channel"],
  ["the next page of a channel", { channel: "c1" }, { after: "90000.90000" }, "batches_channel"],
  ["a request id", { requestId: "r7" }, {}, "batches_request"],
];
it.each(batches)(
  "a page of batches by %s reads an index in its order",
  async (_name, filter, page, index) => {
    const { sql, params } = listQuery(filter, { limit: 100, ...page });
    const plan = await planOf(sql, params);
    expect(plan).toContain(`Index Scan Backward using ${index} on batches b`);
    expect(plan).not.toMatch(/Sort|Seq Scan/);
  },
);

const from = { acceptedAtMs: 90_000, seq: 90_000, isIncluded: true };
const deliveries: readonly (readonly [string, DeliveryFilter, string])[] = [
  ["all", {}, "batches_time"],
  ["a channel", { channel: "c1" }, "batches_channel"],
  ["a time", { fromMs: 50_000, toMs: 60_000 }, "batches_time"],
  ["a request id", { requestId: "r7" }, "batches_request"],
];
it.each(deliveries)(
  "a page of deliveries by %s reads an index in its order",
  async (_name, filter, index) => {
    const { sql, params } = deliveriesQuery(filter, { limit: 100, from });
    const plan = await planOf(sql, params);
    expect(plan).toContain(`Index Scan Backward using ${index} on batches b`);
    expect(plan).not.toMatch(/Sort|Seq Scan/);
  },
);

it.each([
  ["{work}", "work_batch on work"],
  ["{dead}", "dead_delivery on dead"],
])("a page of deliveries by their rows in %s reads an index in its order", async (table, index) => {
  const plan = await planOf(rowsQuery(table), [90_000, 100]);
  expect(plan).toContain(`Index Scan Backward using ${index}`);
  expect(plan).not.toMatch(/Sort|Seq Scan/);
});
