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
  /** At most 45 days. */
  ms: milliseconds()
    .max(45 * 24 * hourMs)
    .default(3 * hourMs),
  /** Remembered uuids, 16 to 32 bytes of memory each; if there are more, the older half is deleted. */
  maxUuids: z.int().min(10_000).max(200_000_000).default(12_000_000),
});

/** The batches in which records are loaded into the store. */
const batchSchema = z.strictObject({
  maxRecords: z.int().min(1).max(1_000_000).default(50_000),
  maxBytes: z
    .int()
    .min(4_096)
    .max(256 * mib)
    .default(16 * mib),
  /** Time since the beginning of the previous batch after which a batch is loaded even if it is not full. */
  maxDelayMs: milliseconds().default(1_000),
});

/** The files, or tables of a database, of records that are not loaded yet. */
const spoolSchema = z.strictObject({
  /** Size of a file or table. It is deleted when all its records are loaded. */
  maxFileBytes: z
    .int()
    .min(mib)
    .max(2 ** 31)
    .default(64 * mib),
  /** Free disk space below which records are refused; for driver duckdb. Default: 512 MiB. */
  minFreeBytes: bytes().optional(),
});

/** The engine of the store. */
const engineSchema = z.strictObject({
  /** Memory of queries and loads together, in addition to that of the service. */
  memoryBytes: z
    .int()
    .min(64 * mib)
    .default(1_024 * mib),
  /** Processors for queries. Default: all of the machine. */
  threads: z.int().min(1).max(1_024).optional(),
  /** Disk space of queries that exceed their memory. */
  maxTempBytes: bytes().default(10_240 * mib),
  /**
   * How much queries and loads yield to calls when processors are busy, as with `nice`; on Linux. 0: not at all.
   */
  niceness: z.int().min(0).max(19).default(10),
  /**
   * Concurrent queries; more of them make each slower, and the rest of the service too. As many again run for tokens
   * and projects without a running query while others use all.
   */
  maxQueries: z.int().min(1).max(64).default(2),
  /** Queries of one token that wait; further ones are refused. All tokens together have four times as many. */
  maxWaiting: z.int().min(0).max(10_000).default(16),
});

const deadLettersSchema = z.strictObject({
  /** Relative to the data folder. */
  file: z.string().min(1).default("deadletters/events.ndjson"),
  /** Size at which the file is rotated. */
  maxBytes: z
    .int()
    .min(4_096)
    .default(64 * mib),
  /** Number of rotated files that are kept. */
  keepFiles: z.int().min(0).default(9),
});

/** When to report that acknowledged records cannot be queried yet. */
const lagSchema = z.strictObject({
  /** Query results have a warning while an acknowledged record has waited longer than this plus `batch.maxDelayMs`. */
  warnMs: milliseconds().default(60_000),
  /** `/readyz` returns 503 if records wait and none was loaded for longer than this plus `batch.maxDelayMs`. */
  standstillMs: milliseconds().default(120_000),
});

/** The section `events`: how records are accepted and stored. */
export const eventsConfigSchema = z.strictObject({
  /**
   * duckdb: files of this process alone. clickhouse: the servers in stores.clickhouse, which several replicas share.
   * Default: clickhouse if stores.driver is shared.
   */
  driver: z.enum(["duckdb", "clickhouse"]).optional(),
  /** Days of events to keep, unless a project sets its own. Default: all. */
  keepDays: z.int().min(1).max(100_000).optional(),
  /**
   * Properties of events, and of users, that a project may have, including members of objects. Further ones are
   * dropped. Default: one for every 2 MiB of `engine.memoryBytes`, since each takes memory of every load.
   */
  maxProperties: z.int().min(1).max(100_000).optional(),
  /** Event names that a project may have. Events with further names are refused. */
  maxEventNames: z.int().min(1).max(1_000_000).default(5_000),
  /**
   * New names of events and properties that one app id may add to a project within a minute. Events with further names
   * are refused and properties dropped until the next minute. Records without an app id, by project id or from files,
   * have no such limit.
   */
  maxNewNamesPerMinute: z.int().min(1).max(1_000_000).default(250),
  uuidWindow: uuidWindowSchema.prefault({}),
  batch: batchSchema.prefault({}),
  spool: spoolSchema.prefault({}),
  lag: lagSchema.prefault({}),
  engine: engineSchema.prefault({}),
  /** The files of refused records. */
  deadLetters: deadLettersSchema.prefault({}),
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
