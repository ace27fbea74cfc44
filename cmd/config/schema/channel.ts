import { z } from "zod";
import { outboundSchema } from "../../../services/webhook/targets/config.ts";
import { defaultRunRetentionMs } from "../../../store/channels/channels.ts";

/** Where channels, tasks and their batches are kept. What is left out is as in webhook.inbox. */
const storeSchema = z.strictObject({
  /** sqlite: a file of this process alone. postgres: a schema that several replicas share. */
  driver: z.enum(["sqlite", "postgres"]).optional(),
  /** sqlite: the file, on a local disk; channels/channels.db in the data folder unless given. */
  file: z.string().min(1).meta({ path: true }).optional(),
  /** sqlite: nothing new is taken when less is free on the disk; what is stored is sent nevertheless. */
  minFreeBytes: z.int().min(0).optional(),
  /** postgres: postgresql://user:password@host:5432/database?sslmode=verify-full */
  url: z.string().min(1).meta({ secret: true }).optional(),
  /** postgres: brought up by `engage migrate`. */
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
  /** Addresses that are not public and may be sent to nevertheless. */
  outbound: outboundSchema.prefault({}),
  /** How long runs that have ended are kept with their batches; the latest run of a task keeps its counts. */
  retentionMs: z.int().min(60_000).default(defaultRunRetentionMs),
  /** Requests of one channel under way at a time, in this process. */
  concurrency: z.int().min(1).max(1_000).default(64),
});
