import { z } from "zod";
import type { NameLimits } from "./record/name-book.ts";

const mib = 1_048_576;
/** A column takes 1.3 MiB at most while rows are put in or in order; the rest is for queries beside that. */
const bytesPerProperty = 2 * mib;
const milliseconds = () => z.int().min(1).max(2_147_483_647);
const bytes = () => z.int().min(0);
const hourMs = 3_600_000;

/** Within this time after a record was received, another one with its `#uuid` is dropped. */
const uuidWindowSchema = z.strictObject({
  /** Up to 45 days. */
  ms: milliseconds()
    .max(45 * 24 * hourMs)
    .default(3 * hourMs),
  /** Kept in memory, 16 to 32 bytes each; when there are more, the older half is forgotten. */
  maxUuids: z.int().min(10_000).max(200_000_000).default(12_000_000),
});

/** What the store takes at a time. */
const batchSchema = z.strictObject({
  maxRecords: z.int().min(1).max(1_000_000).default(50_000),
  maxBytes: z
    .int()
    .min(4_096)
    .max(256 * mib)
    .default(16 * mib),
  /** A batch that is not full waits for so long, since the one before began. */
  maxDelayMs: milliseconds().default(1_000),
});

/** Where records are until the store has them. */
const spoolSchema = z.strictObject({
  /** Files are deleted whole, once all of their records are stored. */
  maxFileBytes: z
    .int()
    .min(mib)
    .max(2 ** 31)
    .default(64 * mib),
  /** No record is taken when less is free on the disk. */
  minFreeBytes: bytes().default(512 * mib),
});

/** Of the store. */
const engineSchema = z.strictObject({
  /** What queries and loads may take together, beside the memory of the service. */
  memoryBytes: z
    .int()
    .min(64 * mib)
    .default(1_024 * mib),
  /** Processors that work on queries; all of the machine's unless given. */
  threads: z.int().min(1).max(1_024).optional(),
  /** What queries put aside on the disk beyond their memory. */
  maxTempBytes: bytes().default(10_240 * mib),
  /**
   * How far queries and loads stand back behind calls when processors are short, as by `nice`; on Linux. 0: not at
   * all.
   */
  niceness: z.int().min(0).max(19).default(10),
  /**
   * Queries at a time; more of them make each slower, and the rest of the service too. As many again run for tokens
   * and projects that have none while others use all.
   */
  maxQueries: z.int().min(1).max(64).default(2),
  /** Queries of one token that wait; further ones are refused. Of all tokens together four times as many wait. */
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
  /** Rotated files kept. */
  keepFiles: z.int().min(0).default(9),
});

/** When it is told that records are on disk and can't be queried yet. */
const lagSchema = z.strictObject({
  /** Answers to queries carry a warning while a record that was acknowledged has waited for longer, and `batch.maxDelayMs`. */
  warnMs: milliseconds().default(60_000),
  /** `/readyz` answers 503 when records wait and none was loaded for longer than this, and `batch.maxDelayMs`. */
  standstillMs: milliseconds().default(120_000),
});

/** The section `events`: how records are taken and stored. */
export const eventsConfigSchema = z.strictObject({
  /** Days of events to keep, where a project doesn't say; all of them unless given. */
  keepDays: z.int().min(1).max(100_000).optional(),
  /**
   * Different properties of events that a project may have, and as many of users; members of objects count. Further
   * ones are dropped. One for every 2 MiB of `engine.memoryBytes` unless given: each takes memory of every load.
   */
  maxProperties: z.int().min(1).max(100_000).optional(),
  /** Different names of events that a project may have. Events of further ones are refused. */
  maxEventNames: z.int().min(1).max(1_000_000).default(5_000),
  /**
   * New names of events and properties that one app id may bring to a project within a minute. Events of further names
   * are refused and properties dropped, until the next minute. What comes without an app id, by project id or from
   * files, may bring any number.
   */
  maxNewNamesPerMinute: z.int().min(1).max(1_000_000).default(250),
  uuidWindow: uuidWindowSchema.prefault({}),
  batch: batchSchema.prefault({}),
  spool: spoolSchema.prefault({}),
  lag: lagSchema.prefault({}),
  engine: engineSchema.prefault({}),
  /** Records that were refused. */
  deadLetters: deadLettersSchema.prefault({}),
});

export function nameLimitsOf({ maxEventNames, maxNewNamesPerMinute }: NameLimits): NameLimits {
  return { maxEventNames, maxNewNamesPerMinute };
}

/** Of events, and as many of users, in each project. */
export function maxPropertiesOf({
  maxProperties,
  engine,
}: {
  readonly maxProperties?: number | undefined;
  readonly engine: { readonly memoryBytes: number };
}): number {
  return maxProperties ?? Math.floor(engine.memoryBytes / bytesPerProperty);
}
