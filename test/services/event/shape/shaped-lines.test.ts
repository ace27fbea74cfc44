import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createPreparer } from "../../../../services/event/load/prepare.ts";
import type { PreparedBatch } from "../../../../services/event/load/prepared.ts";
import { RecordShapes } from "../../../../services/event/shape/record-shapes.ts";
import { encodeRawSpoolLines, encodeSpoolLine } from "../../../../services/event/spool-line.ts";
import { emptySchema, type ProjectRows } from "../../../../store/events/events.ts";
import { openSqliteIntake } from "../../../../store/intake/sqlite/open.ts";
import { casesOf } from "../../../thorough.ts";
import { strict } from "../load/strict-intake.ts";

const receivedMs = Date.UTC(2026, 0, 2);
let instance: DuckDBInstance;
beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:", { threads: "1", enable_external_file_cache: "false" });
});
afterAll(() => instance.closeSync());

/** Values as JSON that fit the properties which have them, and such that have to be parsed or do not fit. */
const texts = ['"a"', '"Köln"', '""', '"7"', '"true"', '" "'];
const numbers = ["1", "0", "-12.5", "0.1", "123456789.123456"];
const times = ['"2026-01-01 10:00:00"', '"2025-12-31 23:59:59.999"'];
const unusualValues = [
  '"x\\ny"',
  '"\\u00e9"',
  `"${"y".repeat(2_100)}"`,
  "-0",
  "1e3",
  "1234567890123456",
  "9007199254740993",
  '"2026-01-01 10:00"',
  '"2026-02-30 00:00:00"',
  "null",
  "true",
  "false",
  "[]",
  '["x","y"]',
  '["x", "y"]',
  '["x",null]',
  "[1]",
  '{"m":1}',
  "{}",
];
const anyValue = fc.constantFrom(...texts, ...numbers, ...times, ...unusualValues);
/** A record has up to ten values, so each must be unusual rarely. */
const mostly = (usual: readonly string[], unusual: fc.Arbitrary<string> = anyValue) =>
  fc.oneof({ weight: 30, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: unusual });

const propertyValues: Readonly<Record<string, fc.Arbitrary<string>>> = {
  city: mostly(texts),
  City: mostly(texts),
  level: mostly(numbers),
  at: mostly(times),
  vip: mostly(["true", "false"]),
  tags: mostly(['["x","y"]', '["é"]', '["a", "b","c"]']),
  "#lib": mostly(['"js"', '"ios"']),
  "#zone_offset": mostly(["8", "-3.5", "0"], fc.oneof(anyValue, fc.constant("15"))),
  "#user_id": mostly(["1"]),
};
const rootValues: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "#type": mostly(['"track"'], fc.constantFrom('"user_set"', '"track_update"', '"no"')),
  "#event_name": mostly(['"login"', '"Buy"'], fc.oneof(anyValue, fc.constant('"1bad"'))),
  "#time": mostly(
    times,
    fc.oneof(anyValue, fc.constantFrom('"2020-01-01 00:00:00"', '"2026-01-09 00:00:00"')),
  ),
  "#account_id": mostly(['"a"', '"b"', '"ü"'], fc.oneof(anyValue, fc.constantFrom('""', "7"))),
  "#distinct_id": mostly(['"d"', '"e"']),
  "#uuid": mostly(Array.from({ length: 30 }, (_, at) => `"uuid-${at}"`)),
  "#ip": mostly(['"1.2.3.4"']),
  "#first_check_id": mostly(['"once"']),
  "#event_id": mostly(['"e1"']),
  oops: anyValue,
};
const usualRoot = ["#type", "#event_name", "#time", "#account_id"];
const optionalRoot = ["#distinct_id", "#uuid", "#ip"];
const unusualRoot = ["#first_check_id", "#event_id", "oops", "#uuid"];

/** The keys of records, and the spaces between them. */
interface Layout {
  readonly root: readonly string[];
  readonly properties: readonly string[];
  readonly colon: string;
  readonly comma: string;
}

const layout: fc.Arbitrary<Layout> = fc.record({
  root: fc
    .oneof(
      { weight: 4, arbitrary: fc.subarray(optionalRoot) },
      { weight: 1, arbitrary: fc.subarray([...optionalRoot, ...unusualRoot]) },
    )
    .chain((more) =>
      fc.shuffledSubarray([...usualRoot, ...more], { minLength: usualRoot.length + more.length }),
    ),
  properties: fc.shuffledSubarray(Object.keys(propertyValues), { maxLength: 6 }),
  colon: fc.constantFrom(":", ": "),
  comma: fc.constantFrom(",", ", "),
});

/** One of a few layouts, so that most records have the shape of an earlier one. */
const recordTexts = fc.array(layout, { minLength: 1, maxLength: 3 }).chain((layouts) =>
  fc.array(
    fc.constantFrom(...layouts).chain(({ root, properties, colon, comma }) =>
      fc
        .tuple(
          fc.tuple(...root.map((key) => rootValues[key]!)),
          fc.tuple(...properties.map((key) => propertyValues[key]!)),
        )
        .map(([rootTexts, texts]) => {
          const members = (keys: readonly string[], given: readonly string[]) =>
            keys.map((key, at) => `"${key}"${colon}${given[at]}`).join(comma);
          return `{${members(root, rootTexts)}${comma}"properties"${colon}{${members(properties, texts)}}}`;
        }),
    ),
    { minLength: 4, maxLength: 24 },
  ),
);

/** One line for each record, or lines of several records, whose bytes may be damaged. */
const spool = fc
  .record({
    records: recordTexts,
    isRaw: fc.boolean(),
    perLine: fc.integer({ min: 1, max: 6 }),
    damage: fc.option(fc.record({ at: fc.nat(), byte: fc.constantFrom(0xff, 0x22, 0x7d, 0x2c, 0x61) }), {
      freq: 6,
      nil: undefined,
    }),
  })
  .map(({ records, isRaw, perLine, damage }) => {
    const bytes = isRaw ? rawLines(records, perLine) : lines(records, perLine);
    // The last byte is the end of the line.
    if (damage !== undefined) bytes[damage.at % (bytes.length - 1)] = damage.byte;
    return bytes;
  });

/** Mostly a line is a record, sometimes a list of records. */
function rawLines(records: readonly string[], perLine: number): Uint8Array {
  const isList = (at: number) => perLine === 2 && at % 3 === 0;
  const texts = records.map((one, at) => `${isList(at) ? `[${one},${one}]` : one}\n`);
  return Uint8Array.from(encodeRawSpoolLines(1, receivedMs, Buffer.from(texts.join(""))));
}

function lines(records: readonly string[], perLine: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < records.length; at += perLine) {
    const part = records.slice(at, at + perLine);
    const body = part.length === 1 ? part[0]! : `[${part.join(perLine === 2 ? " , " : ",")}]`;
    pieces.push(encodeSpoolLine(1, receivedMs, Buffer.from(body), "app", 5), Buffer.from("\n"));
  }
  return Uint8Array.from(Buffer.concat(pieces));
}

/** What a batch gives to the store, without the paths of files. */
async function contentsOf({ batch, ...prepared }: PreparedBatch): Promise<object> {
  const projects = await Promise.all(batch.projects.map(rowsOf));
  const { deadLetters, sample: _, ...others } = prepared;
  const letters = deadLetters && Buffer.from(deadLetters.ndjson).toString();
  return { ...others, from: batch.from, to: batch.to, letters, projects };
}

async function rowsOf({
  days = [],
  shards = [],
  updatesFile,
  seenFile,
  usersFile,
  ...others
}: ProjectRows): Promise<object> {
  const textOf = (file: string | undefined) => file && readFileSync(file, "utf8");
  const connection = await instance.connect();
  const rows: unknown[] = [];
  for (const { file, ...part } of [...days, ...shards]) {
    const reader = await connection.runAndReadAll(`SELECT * FROM read_parquet('${file}')`);
    rows.push({ ...part, rows: reader.getRowObjectsJS() });
  }
  connection.closeSync();
  return { ...others, rows, files: [updatesFile, seenFile, usersFile].map(textOf) };
}

interface How {
  /** Watched records are always parsed. */
  readonly isWatched?: boolean;
  /** Whether the batch is read before it is prepared, for an intake that needs its ids. */
  readonly needsKeys?: boolean;
  readonly shardOf?: (userId: number) => number;
}

/** Prepares the lines in some batches. */
async function prepareAll(
  bytes: Uint8Array,
  { isWatched = false, needsKeys = false, shardOf }: How,
): Promise<readonly object[]> {
  const folder = mkdtempSync(join(tmpdir(), "shapes-"));
  mkdirSync(join(folder, "rows"));
  using sqlite = openSqliteIntake({ path: join(folder, "intake.db") });
  const intake = needsKeys ? strict(sqlite) : sqlite;
  const options = { intake, folder: join(folder, "rows"), eventFormat: "columns", shardOf } as const;
  const preparer = createPreparer(options);
  await preparer.reset({
    loadedTo: undefined,
    projects: new Map([[1, { schema: emptySchema, zone: "+02:00" }]]),
  });
  const prepared: object[] = [];
  let from = { number: 1, offset: 0 };
  while (from.offset < bytes.length) {
    const rest = bytes.slice(from.offset);
    const watched = isWatched ? [{ projectId: 2 }] : [];
    // A batch that is read before knows the shapes of earlier batches only.
    const maxRecords = needsKeys ? 2 : 12;
    const batch = await preparer.prepare({ from, bytes: rest, maxRecords, skipped: [], watched });
    prepared.push(await contentsOf(batch));
    from = batch.batch.to;
  }
  rmSync(folder, { recursive: true });
  return prepared;
}

describe("records of known shapes", { timeout: 120_000 }, () => {
  it.each<[string, How, number]>([
    ["line by line", {}, 1],
    ["in a batch that is read before", { needsKeys: true }, 0.2],
    ["to shards", { needsKeys: true, shardOf: (userId) => userId % 2 }, 0.2],
  ])("give the same rows, claims and dead letters as parsed ones, %s", async (_what, how, leastPerRun) => {
    const take = vi.spyOn(RecordShapes.prototype, "take");
    const runs = casesOf(200);
    let shaped = 0;
    await fc.assert(
      fc.asyncProperty(spool, async (bytes) => {
        take.mockClear();
        const rows = await prepareAll(bytes, how);
        shaped += take.mock.results.filter(({ value }) => value !== undefined).length;
        take.mockClear();
        expect(rows).toEqual(await prepareAll(bytes, { ...how, isWatched: true }));
        expect(take).not.toHaveBeenCalled();
      }),
      { numRuns: runs },
    );
    take.mockRestore();
    expect(shaped).toBeGreaterThan(runs * leastPerRun);
  });
});
