import { z } from "zod";
import { maxTimerMs } from "../../../base/async/clock.ts";
import { connections, identifier, postgresUrl } from "./values.ts";

const mib = 1_048_576;

/** The PostgreSQL database of all stores that do not set their own. */
const postgresSchema = z.strictObject({
  url: postgresUrl("URL of the database. Required by stores.driver shared."),
  schema: identifier()
    .default("engage")
    .describe("The schema of all stores, which `engage migrate` creates and updates."),
  maxConnections: connections().default(10).describe("Connections of this process for each store."),
});

/** The ClickHouse servers of the event store. */
const clickhouseSchema = z.strictObject({
  shards: z
    .array(z.string().min(1))
    .default([])
    .meta({
      description: "URL of the HTTP interface of each shard, always in the same order.",
      examples: [["http://clickhouse-1:8123", "http://clickhouse-2:8123"]],
    }),
  database: identifier()
    .default("engage")
    .describe("The database, which `engage migrate` creates on every shard."),
  user: z.string().min(1).default("engage").describe("The user that the service connects as."),
  password: z
    .string()
    .min(1)
    .meta({ secret: true })
    .optional()
    .meta({
      description: "Password of the user. Default: an empty one.",
      examples: [{ file: "clickhouse-password.txt" }],
    }),
  queryMemoryBytes: z
    .int()
    .min(64 * mib)
    .default(2_048 * mib)
    .describe("Memory of one query on each shard, in bytes."),
  timeoutMs: z.int().min(100).max(maxTimerMs).default(10_000).describe("Time to connect to a server, in ms."),
});

/** The section `stores`: where everything that must survive the process is stored. */
export const storesSchema = z.strictObject({
  driver: z
    .enum(["embedded", "shared"])
    .default("embedded")
    .describe(
      "embedded: files of this process in the data folder. shared: PostgreSQL and ClickHouse, which any number " +
        "of replicas use together.",
    ),
  postgres: postgresSchema
    .prefault({})
    .describe("The PostgreSQL database of all stores that do not set their own."),
  clickhouse: clickhouseSchema.prefault({}).describe("The ClickHouse servers of the event store."),
});
