import { z } from "zod";
import { maxTimerMs } from "../../../base/async/clock.ts";

const mib = 1_048_576;
const identifier = () =>
  z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/, "must be 1 to 63 small letters, digits and underscores");

/** The PostgreSQL database of all stores that do not set their own. */
const postgresSchema = z.strictObject({
  /** postgresql://user:password@host:5432/database?sslmode=verify-full */
  url: z.string().min(1).meta({ secret: true }).optional(),
  /** The schema of all stores, which `engage migrate` creates and updates. */
  schema: identifier().default("engage"),
  /** Connections of this process for each store. */
  maxConnections: z.int().min(1).max(1_000).default(10),
});

/** The ClickHouse servers of the event store. */
const clickhouseSchema = z.strictObject({
  /** URL of the HTTP interface of each shard, always in the same order. */
  shards: z.array(z.string().min(1)).default([]),
  /** The database, which `engage migrate` creates on every shard. */
  database: identifier().default("engage"),
  user: z.string().min(1).default("engage"),
  password: z.string().min(1).meta({ secret: true }).optional(),
  /** Memory of one query on each shard. */
  queryMemoryBytes: z
    .int()
    .min(64 * mib)
    .default(2_048 * mib),
  /** Time to connect to a server. */
  timeoutMs: z.int().min(100).max(maxTimerMs).default(10_000),
});

/** The section `stores`: where everything that must survive the process is stored. */
export const storesSchema = z.strictObject({
  /**
   * embedded: files of this process in the data folder. shared: PostgreSQL and ClickHouse, which any number of
   * replicas use together.
   */
  driver: z.enum(["embedded", "shared"]).default("embedded"),
  postgres: postgresSchema.prefault({}),
  clickhouse: clickhouseSchema.prefault({}),
});
