import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { migrate, openPostgresRecords, type PostgresRecords } from "../../../store/records/postgres/open.ts";
import type { PostgresSpool } from "../../../store/records/postgres/postgres-spool.ts";
import { openRig, track } from "../../services/event/load/load-rig.ts";
import { createMemoryStore, type MemoryStore } from "../../services/event/load/memory-store.ts";
import { openPendingRig } from "../../services/event/pending-rig.ts";
import { event } from "../../services/event/record/checking.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";

let server: PostgresServer;
let schema = "";
let schemas = 0;
let folder = "";
let store: MemoryStore;
let records: PostgresRecords;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "loading-"));
  store = createMemoryStore();
  schema = `loading_${++schemas}`;
  await migrate(server, schema);
  records = await openPostgresRecords({ url: server.url, schema });
});
afterEach(async () => {
  await records[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function openSpool(maxTableBytes: number): PostgresSpool {
  return records.open({ project: 1, maxTableBytes, checksums: true, after: store.loadedTo() });
}

function storedNumbers(): number[] {
  const number = store.schema(1).properties.get("event:n")?.number;
  return store.rows.events.map(({ p }) => p[String(number)] as number);
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const countTables = () =>
  Number(
    server.query(
      `SELECT count(*) FROM pg_tables WHERE schemaname = '${schema}' AND tablename LIKE 'records%'`,
    ),
  );

it("loads the records of a spool in PostgreSQL, and deletes the tables which are loaded", async () => {
  const spool = openSpool(3_000);
  {
    await using rig = openRig({ folder, store, records: { spool, reader: spool.reader } });
    await Promise.all(numbers(400).map((n) => rig.append(track(n))));
    await rig.flush();
    expect(storedNumbers()).toEqual(numbers(400));
    expect(rig.faults).toEqual([]);
    expect(await rig.loader.waitingBytes()).toBe(0);
  }
  expect((await spool.end()).number).toBeGreaterThan(1);
  expect(countTables()).toBe(1);
});

it("continues where the store is", async () => {
  const spool = openSpool(3_000);
  for (let first = 0; first < 100; first += 20) {
    await using rig = openRig({ folder, store, records: { spool, reader: spool.reader } });
    for (let n = first; n < first + 20; n++) await rig.append(track(n));
    await rig.flush();
  }
  expect(storedNumbers()).toEqual(numbers(100));
});

it("makes dead letters of damaged lines only", async () => {
  const spool = openSpool(100_000);
  const lines = numbers(10).map((n) => {
    const record = JSON.stringify([track(n)]);
    return `{"p":1,"r":${Date.UTC(2026, 0, 2)},"b":${record}}\n`;
  });
  await spool.appendLines(Buffer.from(lines.join("")));
  server.query(
    `UPDATE ${schema}.records_1_1 SET bytes = set_byte(bytes, position('uuid-4'::bytea IN bytes), 120)`,
  );
  await using rig = openRig({ folder, store, records: { spool, reader: spool.reader } });
  await rig.flush();
  expect(storedNumbers()).toEqual(numbers(10).filter((n) => n !== 4));
  expect(rig.letters).toHaveLength(1);
  expect(rig.letters[0]).toContain("damaged");
});

it("lets verdicts depend on records which wait in PostgreSQL", async () => {
  const spool = records.open({ project: 1 });
  await using rig = openPendingRig({ records: { spool, reader: spool.reader } });
  expect(await rig.send("sdk", [event({ p: 1 })])).toEqual([]);
  expect(await rig.send("debug", [event({ p: "abc" })])).toEqual(["p: type"]);
  expect(await rig.send("track", [event({ p: "abc" })])).toEqual(["p: type"]);
  const loads = [await rig.loadLine(), await rig.loadLine(), await rig.loadLine()];
  expect(loads.map((load) => load?.dropped)).toEqual([{}, { type: 1 }, { type: 1 }]);
  expect(await rig.loadLine()).toBeUndefined();
});
