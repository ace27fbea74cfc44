import { mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { addChecksums } from "../../base/files/line-checksum.ts";
import { createPreparer, type Preparer } from "../../services/event/load/prepare.ts";
import { removeRows } from "../../services/event/load/staging.ts";
import { encodeSpoolLine } from "../../services/event/spool-line.ts";
import { openDuckDbStore } from "../../store/events/duckdb/duckdb.ts";
import { type EventFormat, type EventStore, emptySchema } from "../../store/events/events.ts";
import { openSqliteIntake } from "../../store/intake/sqlite/open.ts";
import { median } from "../harness/compare.ts";
import { makeFolder } from "../harness/processes.ts";
import { projectId, storeOptions } from "./data.ts";
import { sdkRecord } from "./sdk-record.ts";

/**
 * Measures preparing and loading the same batches, in turns: as JSON lines, as columns of parsed records, and as
 * columns of records of known shapes. The users are known after the first batch, which does not count.
 */
const { values } = parseArgs({
  options: {
    batches: { type: "string", default: "9" },
    /** Records of a batch, and of a line of the spool. */
    records: { type: "string", default: "50000" },
    line: { type: "string", default: "20" },
  },
});
const [batches, records, perLine] = [values.batches, values.records, values.line].map(Number) as [
  number,
  number,
  number,
];
const receivedMs = Date.UTC(2026, 0, 2);
const folder = makeFolder();

interface Side {
  readonly name: string;
  readonly store: EventStore;
  readonly preparer: Preparer;
  /** Watched records are always parsed. */
  readonly isParsed: boolean;
  /** µs of CPU time a record, for each batch. */
  readonly preparing: number[];
  readonly loading: number[];
}

async function openSide(name: string, eventFormat: EventFormat, isParsed: boolean): Promise<Side> {
  const data = join(folder, name.replaceAll(" ", "-"));
  const { stagingFolder } = storeOptions(data);
  mkdirSync(stagingFolder, { recursive: true });
  const store = await openDuckDbStore({ ...storeOptions(data), maxQueries: 1, maxWaiting: 1 });
  const intake = openSqliteIntake({ path: join(data, "intake.db") });
  const preparer = createPreparer({ intake, folder: stagingFolder, eventFormat });
  const project = { schema: emptySchema, zone: "+00:00" };
  await preparer.reset({ loadedTo: undefined, projects: new Map([[projectId, project]]) });
  return { name, store, preparer, isParsed, preparing: [], loading: [] };
}

function batchOf(number: number): Uint8Array {
  const lines: Uint8Array[] = [];
  for (let at = 0; at < records; at += perLine) {
    const list = Array.from({ length: perLine }, (_, index) => {
      const n = number * records + at + index;
      const more = { device: `device_${n % 300}`, score: n % 1_000 };
      return sdkRecord(n, { user: n % records, time: "2026-01-01 10:20:30.456", more });
    });
    lines.push(encodeSpoolLine(projectId, receivedMs, Buffer.from(JSON.stringify(list)), "bench"));
    lines.push(Buffer.from("\n"));
  }
  return addChecksums(Buffer.concat(lines), { number, offset: 0 });
}

async function cpuOf<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  times.push((user + system) / records);
  return result;
}

const sides = [
  await openSide("lines", "lines", false),
  await openSide("columns of parsed records", "columns", true),
  await openSide("columns of records of known shapes", "columns", false),
];
for (let number = 1; number <= batches + 1; number++) {
  const bytes = batchOf(number);
  for (const { store, preparer, isParsed, preparing, loading } of sides) {
    const task = {
      from: { number, offset: 0 },
      bytes: Uint8Array.from(bytes),
      maxRecords: records,
      skipped: [],
    };
    const watched = isParsed ? [{ projectId: projectId + 1 }] : [];
    const { batch } = await cpuOf(preparing, () => preparer.prepare({ ...task, watched }));
    await cpuOf(loading, () => store.load(batch));
    await removeRows(batch);
  }
}
const counted = (times: readonly number[]) => median(times.slice(1));
const [first] = sides;
console.table(
  sides.map(({ name, preparing, loading }) => ({
    contestant: name,
    "preparing, CPU µs/record": counted(preparing).toFixed(2),
    "against lines": (counted(preparing) / counted(first!.preparing)).toFixed(2),
    "loading, CPU µs/record": counted(loading).toFixed(2),
    "loading against lines": (counted(loading) / counted(first!.loading)).toFixed(2),
  })),
);
console.log(
  `batches of ${records}, lines of ${perLine}, median of ${batches}, load ${loadavg()[0]!.toFixed(1)}`,
);
for (const { store } of sides) await store[Symbol.asyncDispose]();
