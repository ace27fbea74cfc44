import { expect, it } from "vitest";
import { ledgerStore } from "../../../store/events/ledger/ledger.ts";
import { leaseStore } from "../../../store/leases/postgres/store.ts";
import { recordStore } from "../../../store/records/postgres/store.ts";
import { DatabaseServer } from "./server.ts";
import type { Outcome, Transaction } from "./transaction.ts";

interface World {
  readonly server: DatabaseServer;
  /** Runs a statement; the array is empty while it waits. */
  run(transaction: Transaction, sql: string, ...values: unknown[]): Outcome[];
}

function openWorld(): World {
  const server = new DatabaseServer([leaseStore, recordStore, ledgerStore]);
  server.start({ clockMs: () => 1_000, soon: (call) => call(), committed: () => {} });
  return {
    server,
    run(transaction, sql, ...values) {
      const outcomes: Outcome[] = [];
      server.run(transaction, sql, values, (outcome) => outcomes.push(outcome));
      return outcomes;
    },
  };
}

const insert = `INSERT INTO "s".leases (name, token, holder, until_ms) VALUES ($1, $2, '', 0)`;
const select = `SELECT token FROM "s".leases WHERE name = $1`;
const update = `UPDATE "s".leases SET token = token + 1 WHERE name = $1`;

function withLease(): World & { readonly a: Transaction; readonly b: Transaction } {
  const world = openWorld();
  const first = world.server.begin();
  world.run(first, insert, "x", 1);
  world.server.commit(first);
  return { ...world, a: world.server.begin(), b: world.server.begin() };
}

it("shows what was committed before the statement, and a transaction's own changes", () => {
  const { server, run, a, b } = withLease();
  run(a, update, "x");
  expect(run(a, select, "x")).toEqual([{ rows: [{ token: 2 }] }]);
  expect(run(b, select, "x")).toEqual([{ rows: [{ token: 1 }] }]);
  server.commit(a);
  expect(run(b, select, "x")).toEqual([{ rows: [{ token: 2 }] }]);
});

it("undoes what is rolled back", () => {
  const { server, run, a, b } = withLease();
  run(a, update, "x");
  server.rollback(a);
  expect(run(b, select, "x")).toEqual([{ rows: [{ token: 1 }] }]);
});

it("lets a second update of a row wait, and adds to what was committed", () => {
  const { server, run, a, b } = withLease();
  run(a, update, "x");
  const waiting = run(b, update, "x");
  expect(waiting).toEqual([]);
  server.commit(a);
  expect(waiting).toEqual([{ rows: [] }]);
  server.commit(b);
  expect(server.read(select.replace('"s".', "").replace("$1", "?1"), "x")).toEqual([{ token: 3 }]);
});

it("lets an update that changes nothing lock the row", () => {
  const { run, a, b } = withLease();
  run(a, `UPDATE "s".leases SET token = token WHERE name = $1`, "x");
  expect(run(b, update, "x")).toEqual([]);
});

it.each([
  { first: "FOR KEY SHARE", second: update, isWaiting: false },
  { first: "FOR KEY SHARE", second: `${select} FOR KEY SHARE`, isWaiting: false },
  { first: "FOR KEY SHARE", second: `${select} FOR UPDATE`, isWaiting: true },
  { first: "FOR UPDATE", second: `${select} FOR KEY SHARE`, isWaiting: true },
  { first: "FOR UPDATE", second: update, isWaiting: true },
  { first: "FOR UPDATE", second: select, isWaiting: false },
])("after $first, waits with $second: $isWaiting", ({ first, second, isWaiting }) => {
  const { run, a, b } = withLease();
  run(a, `${select} ${first}`, "x");
  expect(run(b, second, "x").length === 0).toBe(isWaiting);
});

it("skips locked rows", () => {
  const { run, a, b } = withLease();
  run(a, update, "x");
  const skipping = `SELECT w.token FROM "s".leases w WHERE w.token > $1 FOR UPDATE OF w SKIP LOCKED`;
  expect(run(b, skipping, 0)).toEqual([{ rows: [] }]);
});

it("lets an insert of the same key wait, and then fail", () => {
  const { server, run, a, b } = withLease();
  run(a, insert, "y", 1);
  const waiting = run(b, insert, "y", 2);
  expect(waiting).toEqual([]);
  server.commit(a);
  expect(waiting).toMatchObject([{ error: { code: "23505" } }]);
});

it("lets an insert of the same key succeed after a rollback", () => {
  const { server, run, a, b } = withLease();
  run(a, insert, "y", 1);
  const waiting = run(b, insert, "y", 2);
  server.rollback(a);
  expect(waiting).toEqual([{ rows: [] }]);
});

it("ends a circle of waits", () => {
  const { server, run, a, b } = withLease();
  run(a, insert, "y", 1);
  run(b, update, "x");
  const waiting = run(a, update, "x");
  expect(waiting).toEqual([]);
  expect(run(b, insert, "y", 2)).toMatchObject([{ error: { code: "40P01" } }]);
  server.rollback(b);
  expect(waiting).toEqual([{ rows: [] }]);
});

it("never gives a number of a sequence twice", () => {
  const { server, run, a, b } = withLease();
  const sql = `INSERT INTO "s".ledger_batches (spool, token, state, begun_at_ms)
    VALUES ($1, 0, 'open', 0) RETURNING number`;
  expect(run(a, sql, "x")).toEqual([{ rows: [{ number: 1 }] }]);
  server.rollback(a);
  expect(run(b, sql, "x")).toEqual([{ rows: [{ number: 2 }] }]);
});

it("creates and drops tables of records in transactions", () => {
  const { server, run, a, b } = withLease();
  const read = `SELECT place FROM "s".records_1_1 WHERE place >= $1`;
  run(a, `CREATE TABLE "s".records_1_1 (place bigint PRIMARY KEY, bytes bytea NOT NULL)`);
  expect(run(a, read, 0)).toEqual([{ rows: [] }]);
  expect(run(b, read, 0)).toMatchObject([{ error: { code: "42P01" } }]);
  server.commit(a);
  expect(run(b, read, 0)).toEqual([{ rows: [] }]);
  run(b, `DROP TABLE IF EXISTS "s".records_1_1`);
  server.commit(b);
  expect(run(server.begin(), read, 0)).toMatchObject([{ error: { code: "42P01" } }]);
});
