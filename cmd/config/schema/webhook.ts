import { z } from "zod";
import { channelSchema, clicksSchema } from "../../../services/webhook/config.ts";
import { outboundSchema, targetSchema } from "../../../services/webhook/targets/config.ts";
import { defaultRetention } from "../../../store/inbox/inbox.ts";

const name = () =>
  z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      "must be 1 to 64 letters, digits, dots, dashes or underscores",
    );
const milliseconds = () => z.int().min(1_000);
const bytes = () => z.int().min(0);

const retentionSchema = z.strictObject({
  /** Retention of replies, with which a repeated batch is recognized. Senders retry for up to 12.7 h. */
  claimMs: milliseconds().default(defaultRetention.claimMs),
  /** Retention of batches whose messages are all delivered. */
  finishedMs: milliseconds().default(defaultRetention.finishedMs),
  /** Retention of dead letters and their batches. */
  deadLetterMs: milliseconds().default(defaultRetention.deadLetterMs),
});

/** The store of accepted messages until their targets have received them. */
const inboxSchema = z.strictObject({
  /**
   * sqlite: a file of this process alone. postgres: a schema that several replicas share. Default: postgres if
   * stores.driver is shared.
   */
  driver: z.enum(["sqlite", "postgres"]).optional(),
  /** sqlite: the file, on a local disk. Default: inbox/inbox.db in the data folder. */
  file: z.string().min(1).meta({ path: true }).optional(),
  /** sqlite: no batch is accepted if less space is free on the disk. */
  minFreeBytes: bytes().default(268_435_456),
  /** postgres: postgresql://user:password@host:5432/database?sslmode=verify-full. Default: stores.postgres.url. */
  url: z.string().min(1).meta({ secret: true }).optional(),
  /**
   * postgres: the schema, which `engage migrate` creates and updates. Default: stores.postgres.schema, or engage_inbox
   * in a database of its own.
   */
  schema: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/, "must be 1 to 63 small letters, digits and underscores")
    .optional(),
  /** postgres: connections of this process. Default: stores.postgres.maxConnections. */
  maxConnections: z.int().min(1).max(1_000).optional(),
  /** No batch is accepted if the inbox uses more. Default: no limit. */
  maxBytes: z.int().min(1_048_576).optional(),
  retention: retentionSchema.prefault({}),
  /**
   * If the oldest waiting message is older, /readyz reports that this server is not ready for calls. Default: no limit,
   * since an unavailable target is no reason to refuse batches that can be stored.
   */
  maxPendingAgeMs: milliseconds().optional(),
});

/** The section `webhook`. */
export const webhookSchema = z.strictObject({
  /** Channels by the last segment of the URL that the platform calls. */
  channels: z.record(name(), channelSchema).default({}),
  /** Targets by the names that channels refer to. */
  targets: z.record(name(), targetSchema).default({}),
  outbound: outboundSchema.prefault({}),
  clicks: clicksSchema.prefault({}),
  inbox: inboxSchema.prefault({}),
});
