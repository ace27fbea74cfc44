import { z } from "zod";

const mib = 1_048_576;
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

/** Of the section `events`: how records are taken, and brought to the store. */
export const eventsConfigShape = {
  uuidWindow: uuidWindowSchema.prefault({}),
  batch: batchSchema.prefault({}),
  spool: spoolSchema.prefault({}),
  /** Records that were refused. */
  deadLetters: deadLettersSchema.prefault({}),
};
