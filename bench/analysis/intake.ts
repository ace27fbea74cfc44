import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPreparer } from "../../services/event/load/prepare.ts";
import { removeRows } from "../../services/event/load/staging.ts";
import { encodeSpoolLine } from "../../services/event/spool-line.ts";
import { emptySchema } from "../../store/events/events.ts";
import type { Intake } from "../../store/intake/intake.ts";
import { migrate, openPostgresIntake } from "../../store/intake/postgres/open.ts";
import { openSqliteIntake } from "../../store/intake/sqlite/open.ts";
import { openPostgresServer } from "../../test/servers/inbox/postgres-server.ts";
import { sdkRecord } from "./sdk-record.ts";

/**
 * Prepares records with the intake in a file and the one in PostgreSQL, batch by batch in turn: with
 * new users in all records, then with known users that are in memory, and that are not.
 */
const [batches = 20, perBatch = 10_000] = process.argv.slice(2).map(Number);
const perLine = 20;
const receivedMs = Date.UTC(2026, 0, 2);
let last = 0;

interface Side {
  readonly name: string;
  prepare(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Forgets what is in memory. */
  reset(): Promise<void>;
  /** The seconds and CPU seconds of each batch. */
  readonly times: { wall: number; cpu: number }[];
}

function createSide(name: string, intake: Intake, folder: string): Side {
  const preparer = createPreparer({ intake, folder });
  let from = { number: 1, offset: 0 };
  const times: Side["times"] = [];
  return {
    name,
    times,
    async prepare(bytes) {
      const [start, before] = [performance.now(), process.cpuUsage()];
      const { batch } = await preparer.prepare({ from, bytes, maxRecords: perBatch, skipped: [] });
      const { user, system } = process.cpuUsage(before);
      times.push({ wall: (performance.now() - start) / 1_000, cpu: (user + system) / 1_000_000 });
      from = batch.to;
      await removeRows(batch);
    },
    async reset() {
      const loadedTo = from.offset === 0 ? undefined : from;
      await preparer.reset({ loadedTo, projects: new Map([[1, { schema: emptySchema, zone: "+00:00" }]]) });
    },
  };
}

const recordOf = (user: number): object => sdkRecord(++last, { user, time: "2026-01-01 00:00:00" });

function linesOf(users: Iterable<number>): Uint8Array<ArrayBuffer> {
  const records = Array.from(users, recordOf);
  const lines: Uint8Array[] = [];
  for (let at = 0; at < records.length; at += perLine) {
    const body = Buffer.from(JSON.stringify(records.slice(at, at + perLine)));
    lines.push(encodeSpoolLine(1, receivedMs, body), Buffer.from("\n"));
  }
  return new Uint8Array(Buffer.concat(lines));
}

async function measure(
  name: string,
  sides: readonly Side[],
  firstUser: (batch: number) => number,
  isReset = false,
) {
  for (const side of sides) side.times.length = 0;
  for (let batch = 0; batch < batches; batch++) {
    const bytes = linesOf(Array.from({ length: perBatch }, (_, at) => firstUser(batch) + at));
    for (const side of batch % 2 === 0 ? sides : sides.toReversed()) {
      if (isReset) await side.reset();
      await side.prepare(bytes.slice());
    }
  }
  const rates = sides.map(({ name: of, times }) => {
    const rate = (of: "wall" | "cpu") => perBatch / median(times.map((time) => time[of]));
    return { of, wall: rate("wall"), cpu: rate("cpu") };
  });
  for (const { of, wall, cpu } of rates) {
    const ratio = (wall / rates[0]!.wall).toFixed(2);
    console.log(
      `${name}, ${of}: ${Math.round(wall)} records/s (${ratio}×), ${Math.round(cpu)} per CPU second`,
    );
  }
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[list.length >> 1]!;
}

await using server = await openPostgresServer();
await migrate(server, "bench");
const folder = mkdtempSync(join(tmpdir(), "bench-intake-"));
const sqlite = openSqliteIntake({ path: join(folder, "intake.db") });
await using postgres = await openPostgresIntake({ url: server.url, schema: "bench", spool: 1 });
const sides = [createSide("file", sqlite, folder), createSide("PostgreSQL", postgres, folder)];
for (const side of sides) await side.reset();
await measure("all users new", sides, (batch) => batch * perBatch);
await measure("all users in memory", sides, () => 0);
await measure("all users known, not in memory", sides, (batch) => batch * perBatch, true);
sqlite[Symbol.dispose]();
rmSync(folder, { recursive: true });
