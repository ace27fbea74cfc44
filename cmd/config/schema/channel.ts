import { z } from "zod";
import { outboundSchema } from "../../../services/webhook/targets/config.ts";
import { defaultRunRetentionMs } from "../../../store/channels/channels.ts";

/** The store of channels, tasks and their batches. Settings that are left out are those of webhook.inbox. */
const storeSchema = z.strictObject({
  /** sqlite: a file of this process alone. postgres: a schema that several replicas share. */
  driver: z.enum(["sqlite", "postgres"]).optional(),
  /** sqlite: the file, on a local disk. Default: channels/channels.db in the data folder. */
  file: z.string().min(1).meta({ path: true }).optional(),
  /** sqlite: nothing new is stored if less space is free on the disk; stored batches are still sent. */
  minFreeBytes: z.int().min(0).optional(),
  /** postgres: postgresql://user:password@host:5432/database?sslmode=verify-full */
  url: z.string().min(1).meta({ secret: true }).optional(),
  /** postgres: the schema, which `engage migrate` creates and updates. */
  schema: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/, "must be 1 to 63 small letters, digits and underscores")
    .optional(),
  /** postgres: connections of this process. */
  maxConnections: z.int().min(1).max(1_000).optional(),
});

/** The section `channel`. */
export const channelSchema = z.strictObject({
  store: storeSchema.prefault({}),
  /** Addresses that may be called although they are not public. */
  outbound: outboundSchema.prefault({}),
  /** Time for which ended runs are kept with their batches. The latest run of a task keeps its counts. */
  retentionMs: z.int().min(60_000).default(defaultRunRetentionMs),
  /** Concurrent requests of one channel, in this process. */
  concurrency: z.int().min(1).max(1_000).default(64),
});
