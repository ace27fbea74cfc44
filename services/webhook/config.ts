import { z } from "zod";
import { defaultSignatureHeader } from "../../base/net/signature.ts";

const secret = () => z.string().min(1).meta({ secret: true });
const milliseconds = () => z.int().min(0).max(2_147_483_647);
const headerName = () =>
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of an HTTP header such as "X-Api-Key"');
const targetName = () =>
  z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      "must be 1 to 64 letters, digits, dots, dashes or underscores",
    );

const secretSchema = z.strictObject({
  value: secret(),
  /** From this time on it is refused; so that it can be changed without a gap. */
  expires: z.iso.datetime({ offset: true }).optional(),
});

const syncSchema = z.strictObject({
  /** Time the targets have to answer. */
  timeoutMs: milliseconds().min(1).default(5_000),
  /** What becomes of messages they have not answered by then: delivered later, or named in fail_list. */
  late: z.enum(["queue", "fail"]).default("queue"),
});

const pushIdSchema = z.strictObject({
  /** RE2, on the whole push id. */
  pattern: z.string().min(1).optional(),
  /** File with one push id a line. */
  list: z.string().min(1).meta({ path: true }).optional(),
  /** Whether the list names the only usable push ids, or unusable ones. */
  listMeans: z.enum(["usable", "unusable"]).default("usable"),
  /** A service that implements engage.handler.v1.PushIdChecker. */
  check: z
    .strictObject({
      url: z.url({ protocol: /^https?$/, error: 'must be a URL such as "http://127.0.0.1:9000"' }),
      timeoutMs: milliseconds().min(1).default(1_000),
    })
    .optional(),
});

/** One entry of `webhook.channels`. */
export const channelSchema = z
  .strictObject({
    /** Said aloud by channels that take messages from anybody; then secrets, if any, are not asked for. */
    auth: z.literal("off").optional(),
    secrets: z.array(secretSchema).max(16).default([]),
    /** Headers that may carry the signature. */
    signatureHeaders: z.array(headerName()).min(1).max(8).default([defaultSignatureHeader]),
    /** Headers that every call must carry, with their values: the custom headers of the platform's channel. */
    headers: z
      .record(headerName(), secret())
      .default({})
      .refine((headers) => Object.keys(headers).length <= 10, "a channel has at most 10 headers"),
    /** queue: answered when it is on disk. sync: answered when the targets have. */
    mode: z.enum(["queue", "sync"]).default("queue"),
    sync: syncSchema.prefault({}),
    /** Names of the targets that get the messages. */
    targets: z
      .array(targetName())
      .default([])
      .refine((names) => new Set(names).size === names.length, "a target is named twice"),
    pushId: pushIdSchema.prefault({}),
    /** Messages of one batch. */
    maxMessages: z.int().min(1).max(100_000).default(500),
    maxBytes: z
      .int()
      .min(2)
      .default(16 * 1_048_576),
    /** Objects and lists within each other. */
    maxDepth: z.int().min(4).max(512).default(64),
    /** Batches without an ops_request_id: the same body within this time is answered, not taken again. 0: never. */
    dedupeWindowMs: milliseconds().default(0),
  })
  .refine(
    ({ auth, secrets }) => auth === "off" || secrets.length > 0,
    "needs secrets, or auth: off to accept messages without a signature",
  );

export type ChannelConfig = z.output<typeof channelSchema>;

const forwardSchema = z.strictObject({
  /** Of the platform's ingest; `/sync_server` is put behind it. */
  url: z
    .url({ protocol: /^https?$/, error: 'must be a URL such as "https://ingest.example.com"' })
    .refine((url) => !/[?#]|\/sync_server\/*$/.test(url), "must be without /sync_server, query and fragment"),
  /** Of the project that the clicks go to. */
  appid: z.string().regex(/^[!-~]+$/, "must be letters, digits and signs without spaces"),
  /** Clicks of one call. */
  batchRecords: z.int().min(1).max(10_000).default(500),
  /** Of one call, before it is compressed. A longer click goes alone. */
  batchBytes: z.int().min(1_024).max(67_108_864).default(1_048_576),
  /** Time for one call. */
  timeoutMs: milliseconds().min(1).default(30_000),
  /** Whether files of which all has been forwarded are deleted. */
  deleteForwarded: z.boolean().default(true),
});

export type ForwardConfig = z.output<typeof forwardSchema>;

/** `webhook.clicks`: how clicks are reported. */
export const clicksSchema = z.strictObject({
  /** Event name, where the report gives none. */
  event: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,49}$/, "must be a letter and up to 49 letters, digits or underscores")
    .default("ops_push_click"),
  /** What a push id is. */
  pushId: z.enum(["account_id", "distinct_id"]).default("account_id"),
  /** `#app_id` of the events: the project they belong to. */
  appid: z.string().min(1).optional(),
  /** Sends clicks on to the platform's ingest; they stay in the data folder unless given. */
  forward: forwardSchema.optional(),
});

export type ClicksConfig = z.output<typeof clicksSchema>;
