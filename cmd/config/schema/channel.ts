import { z } from "zod";
import { outboundSchema } from "../../../services/webhook/targets/config.ts";
import { defaultRunRetentionMs } from "../../../store/channels/channels.ts";
import { connections, filePath, identifier, postgresUrl } from "./values.ts";

/** The store of channels, tasks and their batches. Settings that are left out are those of webhook.inbox. */
const storeSchema = z.strictObject({
  driver: z
    .enum(["sqlite", "postgres"])
    .optional()
    .describe(
      "sqlite: a file of this process alone. postgres: a schema that several replicas share. " +
        "Default: that of webhook.inbox.",
    ),
  file: filePath()
    .optional()
    .meta({
      description: "sqlite: the file, on a local disk. Default: channels/channels.db in the data folder.",
      examples: ["/var/lib/engage/channels.db"],
    }),
  minFreeBytes: z
    .int()
    .min(0)
    .optional()
    .meta({
      description:
        "sqlite: nothing new is stored if less space is free on the disk, in bytes; stored batches are still " +
        "sent. 0: until the disk is full. Default: that of webhook.inbox.",
      examples: [268_435_456],
    }),
  url: postgresUrl("postgres: URL of the database. Default: that of webhook.inbox."),
  schema: identifier()
    .optional()
    .meta({
      description:
        "postgres: the schema, which `engage migrate` creates and updates. Default: that of webhook.inbox.",
      examples: ["engage"],
    }),
  maxConnections: connections()
    .optional()
    .meta({
      description: "postgres: connections of this process. Default: that of webhook.inbox.",
      examples: [10],
    }),
});

/** The section `channel`. */
export const channelSchema = z.strictObject({
  store: storeSchema
    .prefault({})
    .describe(
      "The store of channels, tasks and their batches. Settings that are left out are those of webhook.inbox.",
    ),
  outbound: outboundSchema
    .prefault({})
    .describe("Addresses that receivers may have although they are not public."),
  retentionMs: z
    .int()
    .min(60_000)
    .default(defaultRunRetentionMs)
    .describe(
      "Time for which ended runs are kept with their batches, in ms. The latest run of a task keeps its counts.",
    ),
  concurrency: z
    .int()
    .min(1)
    .max(1_000)
    .default(64)
    .describe("Concurrent requests of one channel, in this process."),
});
