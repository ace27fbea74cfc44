import { z } from "zod";
import { channelSchema, clicksSchema } from "../../../services/webhook/config.ts";
import { outboundSchema, targetSchema } from "../../../services/webhook/targets/config.ts";
import { defaultRetention } from "../../../store/inbox/inbox.ts";
import { connections, filePath, identifier, name, postgresUrl } from "./values.ts";

const milliseconds = () => z.int().min(1_000);
const bytes = () => z.int().min(0);

const retentionSchema = z.strictObject({
  claimMs: milliseconds()
    .default(defaultRetention.claimMs)
    .describe(
      "Retention of replies, with which a repeated batch is recognized, in ms. Senders retry for up to 12.7 h.",
    ),
  finishedMs: milliseconds()
    .default(defaultRetention.finishedMs)
    .describe("Retention of batches whose messages are all delivered, in ms."),
  deadLetterMs: milliseconds()
    .default(defaultRetention.deadLetterMs)
    .describe("Retention of dead letters and their batches, in ms."),
});

/** The store of accepted messages until their targets have received them. */
const inboxSchema = z.strictObject({
  driver: z
    .enum(["sqlite", "postgres"])
    .optional()
    .describe(
      "sqlite: a file of this process alone. postgres: a schema that several replicas share. Default: postgres if " +
        "stores.driver is shared, else sqlite.",
    ),
  file: filePath()
    .optional()
    .meta({
      description: "sqlite: the file, on a local disk. Default: inbox/inbox.db in the data folder.",
      examples: ["/var/lib/engage/inbox.db"],
    }),
  minFreeBytes: bytes()
    .default(268_435_456)
    .describe(
      "sqlite: no batch is accepted if less space is free on the disk, in bytes. 0: until the disk is full.",
    ),
  url: postgresUrl("postgres: URL of the database. Default: stores.postgres.url."),
  schema: identifier()
    .optional()
    .meta({
      description:
        "postgres: the schema, which `engage migrate` creates and updates. Default: stores.postgres.schema, or " +
        "engage_inbox in a database of its own.",
      examples: ["engage_inbox"],
    }),
  maxConnections: connections()
    .optional()
    .meta({
      description: "postgres: connections of this process. Default: stores.postgres.maxConnections.",
      examples: [10],
    }),
  maxBytes: z
    .int()
    .min(1_048_576)
    .optional()
    .meta({
      description: "No batch is accepted if the inbox uses more bytes. Default: no limit.",
      examples: [10_737_418_240],
    }),
  retention: retentionSchema.prefault({}).describe("How long the inbox keeps what is finished."),
  maxPendingAgeMs: milliseconds()
    .optional()
    .meta({
      description:
        "If the oldest waiting message is older, in ms, /readyz reports that this server is not ready for calls. " +
        "Default: no limit, since an unavailable target is no reason to refuse batches that can be stored.",
      examples: [600_000],
    }),
});

/** The section `webhook`. */
export const webhookSchema = z.strictObject({
  channels: z
    .record(name(), channelSchema)
    .default({})
    .describe("Channels by the last segment of the URL that the platform calls."),
  targets: z
    .record(name(), targetSchema)
    .default({})
    .describe("Targets by the names that channels refer to."),
  outbound: outboundSchema
    .prefault({})
    .describe("Addresses that targets may have although they are not public."),
  clicks: clicksSchema.prefault({}).describe("How clicks on messages are reported."),
  inbox: inboxSchema
    .prefault({})
    .describe("The store of accepted messages until their targets have received them."),
});
