import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { createPreparer } from "../../../../../services/event/load/prepare.ts";
import { clearStaging, removeRows } from "../../../../../services/event/load/staging.ts";
import { emptySchema } from "../../../../../store/events/events.ts";
import { openSqliteIntake } from "../../../../../store/intake/sqlite/open.ts";
import { receivedMs, spooled, timeMs, track } from "../preparer-rig.ts";

const dayMs = 86_400_000;
const shardOf = (userId: number): number => userId % 3;
const firstDay = timeMs / dayMs;
/** Users 1 to 40, on two days. */
const records = Array.from({ length: 40 }, (_, at) =>
  track({
    "#account_id": `a${at}`,
    "#time": at % 2 === 0 ? "2025-12-31 23:59:59" : "2026-01-01 00:00:00",
    properties: at === 7 ? { price: 1, late: "x" } : { price: at },
  }),
);

it("writes the events of each shard's users as columns, and counts those of each day", async () => {
  const folder = mkdtempSync(join(tmpdir(), "shards-"));
  using intake = openSqliteIntake({ path: join(folder, "intake.db") });
  const staging = join(folder, "staging");
  await clearStaging(staging);
  const preparer = createPreparer({ intake, folder: staging, shardOf });
  await preparer.reset({
    loadedTo: undefined,
    projects: new Map([[1, { schema: emptySchema, zone: "+00:00" }]]),
  });
  const bytes = new Uint8Array(Buffer.from(spooled(records)));
  const task = { from: { number: 1, offset: 0 }, bytes, maxRecords: 100, skipped: [] };
  const { batch } = await preparer.prepare(task);
  const [rows] = batch.projects;
  expect(rows?.days).toBeUndefined();
  expect(rows?.counts.events).toBe(40);
  const users = Array.from({ length: 40 }, (_, at) => at + 1);
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  for (const shard of [0, 1, 2]) {
    const own = users.filter((user) => shardOf(user) === shard);
    const given = rows!.shards!.find((one) => one.shard === shard)!;
    const sql = `SELECT u::INTEGER AS u, r, p1 AS price FROM read_parquet('${given.file}')`;
    const found = await (await connection.runAndReadAll(sql)).getRowObjectsJS();
    expect(found).toEqual(own.map((u) => ({ u, r: BigInt(receivedMs), price: u === 8 ? 1 : u - 1 })));
    const onDay = (rest: number) => own.filter((user) => user % 2 === rest).length;
    expect(given.days).toEqual(
      new Map([
        [firstDay - 1, onDay(1)],
        [firstDay, onDay(0)],
      ]),
    );
    expect(given.properties).toEqual(own.includes(8) ? [1, 2] : [1]);
  }
  connection.closeSync();
  instance.closeSync();
  await removeRows(batch);
  for (const { file } of rows!.shards!) expect(existsSync(file)).toBe(false);
  rmSync(folder, { recursive: true });
});
