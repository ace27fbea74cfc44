import { z } from "zod";
import { maxTimerMs } from "../../base/async/clock.ts";
import { defaultSignatureHeader } from "../../base/net/signature.ts";

const secret = () => z.string().min(1).meta({ secret: true });
const milliseconds = () => z.int().min(0).max(maxTimerMs);
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
  /** The secret is refused from this time on, which allows changing it without a gap. */
  expires: z.iso.datetime({ offset: true }).optional(),
});

const syncSchema = z.strictObject({
  /** Time within which the targets must respond. */
  timeoutMs: milliseconds().min(1).default(5_000),
  /** What happens to messages without a result after this time: they are delivered later, or listed in fail_list. */
  late: z.enum(["queue", "fail"]).default("queue"),
});

const pushIdSchema = z.strictObject({
  /** RE2 pattern that the whole push id must match. */
  pattern: z.string().min(1).optional(),
  /** File with one push id per line. */
  list: z.string().min(1).meta({ path: true }).optional(),
  /** Whether the list has all usable push ids, or unusable ones. */
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
    /** off: the channel accepts messages from any caller, and ignores secrets. */
    auth: z.literal("off").optional(),
    secrets: z.array(secretSchema).max(16).default([]),
    /** Headers that may carry the signature. */
    signatureHeaders: z.array(headerName()).min(1).max(8).default([defaultSignatureHeader]),
    /** Headers that every call must have, with their values: the custom headers of the platform's channel. */
    headers: z
      .record(headerName(), secret())
      .default({})
      .refine((headers) => Object.keys(headers).length <= 10, "a channel has at most 10 headers"),
    /** queue: replies when the batch is on disk. sync: replies when the targets have responded. */
    mode: z.enum(["queue", "sync"]).default("queue"),
    sync: syncSchema.prefault({}),
    /** Names of the targets of the messages. */
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
    /** Nesting of objects and arrays. */
    maxDepth: z.int().min(4).max(512).default(64),
    /** Batches without an ops_request_id: a repeated body within this time gets the first reply again. 0: no check. */
    dedupeWindowMs: milliseconds().default(0),
  })
  .refine(
    ({ auth, secrets }) => auth === "off" || secrets.length > 0,
    "needs secrets, or auth: off to accept messages without a signature",
  );

export type ChannelConfig = z.output<typeof channelSchema>;

const forwardSchema = z.strictObject({
  /** URL of the platform's ingest, to which `/sync_server` is appended. */
  url: z
    .url({ protocol: /^https?$/, error: 'must be a URL such as "https://ingest.example.com"' })
    .refine((url) => !/[?#]|\/sync_server\/*$/.test(url), "must be without /sync_server, query and fragment"),
  /** App id of the project that gets the clicks. */
  appid: z.string().regex(/^[!-~]+$/, "must be letters, digits and signs without spaces"),
  /** Clicks of one call at most. */
  batchRecords: z.int().min(1).max(10_000).default(500),
  /** Bytes of one call at most, before compression. A longer click is sent alone. */
  batchBytes: z.int().min(1_024).max(67_108_864).default(1_048_576),
  /** Time for one call. */
  timeoutMs: milliseconds().min(1).default(30_000),
  /** Whether files are deleted after all their clicks were forwarded. */
  deleteForwarded: z.boolean().default(true),
});

export type ForwardConfig = z.output<typeof forwardSchema>;

/** `webhook.clicks`: how clicks are reported. */
export const clicksSchema = z.strictObject({
  /** Event name of reports without one. */
  event: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,49}$/, "must be a letter and up to 49 letters, digits or underscores")
    .default("ops_push_click"),
  /** Meaning of push ids. */
  pushId: z.enum(["account_id", "distinct_id"]).default("account_id"),
  /** `#app_id` of the events, which is the project they belong to. */
  appid: z.string().min(1).optional(),
  /** Forwards clicks to the platform's ingest; without it they stay in the data folder. */
  forward: forwardSchema.optional(),
});

export type ClicksConfig = z.output<typeof clicksSchema>;
