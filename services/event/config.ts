import { z } from "zod";
import { maxTimerMs } from "../../base/async/clock.ts";
import type { NameLimits } from "./record/name-book.ts";

const mib = 1_048_576;
/** Memory per property: a column takes at most 1.3 MiB while rows are loaded or sorted; the rest is for queries. */
const bytesPerProperty = 2 * mib;
const milliseconds = () => z.int().min(1).max(maxTimerMs);
const bytes = () => z.int().min(0);
const hourMs = 3_600_000;

/** The time after a record was received within which records with the same `#uuid` are dropped. */
const uuidWindowSchema = z.strictObject({
  ms: milliseconds()
    .max(45 * 24 * hourMs)
    .default(3 * hourMs)
    .describe("The time, in ms; at most 45 days."),
  maxUuids: z
    .int()
    .min(10_000)
    .max(200_000_000)
    .default(12_000_000)
    .describe(
      "Uuids in memory. In a data folder they take 16 to 32 bytes each, and if there are more, the older half is " +
        "deleted. In PostgreSQL they take 30 to 45 bytes each, a replica divides the number among the projects, and " +
        "more uuids are stored as rows, which costs CPU time but forgets none.",
    ),
});

/** The batches in which records are loaded into the store. */
const batchSchema = z.strictObject({
  maxRecords: z.int().min(1).max(1_000_000).default(50_000).describe("Records of one batch."),
  maxBytes: z
    .int()
    .min(4_096)
    .max(256 * mib)
    .default(16 * mib)
    .describe("Bytes of one batch."),
  maxDelayMs: milliseconds()
    .default(1_000)
    .describe(
      "Time since the beginning of the previous batch after which a batch is loaded even if it is not full, in ms. " +
        "Bursts are loaded earlier: their end when no record has arrived for 60 ms, if at least a sixteenth of maxBytes " +
        "waits. With driver duckdb, records that would fill a batch in a second are loaded in parts of an eighth of " +
        "maxBytes, at least 1 MiB, while no earlier batch waits, and a sixteenth of a part is enough for the end.",
    ),
});

/** The files, or tables of a database, of records that are not loaded yet. */
const spoolSchema = z.strictObject({
  maxFileBytes: z
    .int()
    .min(mib)
    .max(2 ** 31)
    .default(64 * mib)
    .describe("Bytes of a file or table. It is deleted when all its records are loaded."),
  minFreeBytes: bytes()
    .optional()
    .meta({
      description:
        "Free disk space below which records are refused, in bytes; for driver duckdb. 0: until the disk is full. " +
        "Default: 512 MiB.",
      examples: [1_073_741_824],
    }),
});

/** The engine of the store. */
const engineSchema = z.strictObject({
  memoryBytes: z
    .int()
    .min(64 * mib)
    .default(1_024 * mib)
    .describe("Memory of queries and loads together, in bytes, in addition to that of the service."),
  threads: z
    .int()
    .min(1)
    .max(1_024)
    .optional()
    .meta({ description: "Processors for queries. Default: all of the machine.", examples: [4] }),
  maxTempBytes: bytes()
    .default(10_240 * mib)
    .describe(
      "Disk space of queries that exceed their memory, in bytes. 0: none, so that such queries fail.",
    ),
  niceness: z
    .int()
    .min(0)
    .max(19)
    .default(19)
    .describe(
      "How much queries and loads yield to calls when processors are busy, as with `nice`; on Linux. 0: not at all.",
    ),
  maxQueries: z
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe(
      "Concurrent queries; more of them make each slower, and the rest of the service too. As many again run for " +
        "tokens and projects without a running query while others use all.",
    ),
  maxWaiting: z
    .int()
    .min(0)
    .max(10_000)
    .default(16)
    .describe(
      "Queries of one token that wait; further ones are refused. All tokens together have four times as many. " +
        "0: no query waits.",
    ),
});

const deadLettersSchema = z.strictObject({
  file: z
    .string()
    .min(1)
    .default("deadletters/events.ndjson")
    .describe("The file; a relative path starts at the data folder."),
  maxBytes: z
    .int()
    .min(4_096)
    .default(64 * mib)
    .describe("Bytes at which the file is rotated."),
  keepFiles: z
    .int()
    .min(0)
    .default(9)
    .describe("Number of rotated files that are kept. 0: a full file is deleted."),
});

/** When to report that acknowledged records cannot be queried yet. */
const lagSchema = z.strictObject({
  warnMs: milliseconds()
    .default(60_000)
    .describe(
      "Query results have a warning while an acknowledged record has waited longer than this plus " +
        "events.batch.maxDelayMs, in ms.",
    ),
  standstillMs: milliseconds()
    .default(120_000)
    .describe(
      "/readyz returns 503 if records wait and none was loaded for longer than this plus events.batch.maxDelayMs, in ms.",
    ),
});

/** Limits of what the records of a project may bring. */
const limits = {
  keepDays: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .meta({
      description: "Days of events to keep, unless a project sets its own. Default: all.",
      examples: [400],
    }),
  maxProperties: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .meta({
      description:
        "Properties of events, and of users, that a project may have, including members of objects. Further ones are " +
        "dropped. Default: one for every 2 MiB of events.engine.memoryBytes, since each takes memory of every load.",
      examples: [1_000],
    }),
  maxEventNames: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(5_000)
    .describe("Event names that a project may have. Events with further names are refused."),
  maxNewNamesPerMinute: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(250)
    .describe(
      "New names of events and properties that one app id may add to a project within a minute. Events with further " +
        "names are refused and properties dropped until the next minute. Records without an app id, by project id or " +
        "from files, have no such limit.",
    ),
};

/** The section `events`: how records are accepted and stored. */
export const eventsConfigSchema = z.strictObject({
  driver: z
    .enum(["duckdb", "clickhouse"])
    .optional()
    .describe(
      "duckdb: files of this process alone. clickhouse: the servers in stores.clickhouse, which several replicas " +
        "share. Default: clickhouse if stores.driver is shared, else duckdb.",
    ),
  ...limits,
  uuidWindow: uuidWindowSchema
    .prefault({})
    .describe("The time after a record was received within which records with the same #uuid are dropped."),
  batch: batchSchema.prefault({}).describe("The batches in which records are loaded into the store."),
  spool: spoolSchema
    .prefault({})
    .describe("The files, or tables of a database, of records that are not loaded yet."),
  lag: lagSchema
    .prefault({})
    .describe("When the service reports that acknowledged records cannot be queried yet."),
  engine: engineSchema.prefault({}).describe("The engine of the event store."),
  deadLetters: deadLettersSchema.prefault({}).describe("The files of refused records."),
});

const defaultMinFreeBytes = 512 * mib;

/** Returns the free disk space below which records are refused. */
export function minFreeBytesOf({ minFreeBytes }: { readonly minFreeBytes?: number | undefined }): number {
  return minFreeBytes ?? defaultMinFreeBytes;
}

export function nameLimitsOf({ maxEventNames, maxNewNamesPerMinute }: NameLimits): NameLimits {
  return { maxEventNames, maxNewNamesPerMinute };
}

/** Returns the limit of properties of events, and of users, in each project. */
export function maxPropertiesOf({
  maxProperties,
  engine,
}: {
  readonly maxProperties?: number | undefined;
  readonly engine: { readonly memoryBytes: number };
}): number {
  return maxProperties ?? Math.floor(engine.memoryBytes / bytesPerProperty);
}
