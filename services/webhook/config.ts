import { z } from "zod";
import { maxTimerMs } from "../../base/async/clock.ts";
import { defaultSignatureHeader } from "../../base/net/signature.ts";
import { shortName, shortNameRule } from "../../base/text/short-name.ts";

const secret = () => z.string().min(1).meta({ secret: true });
const milliseconds = () => z.int().min(0).max(maxTimerMs);
const headerName = () =>
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of an HTTP header such as "X-Api-Key"');
const targetName = () => z.string().regex(shortName, shortNameRule);

const secretSchema = z.strictObject({
  value: secret().meta({
    description: "The secret, as the platform's channel has it.",
    examples: [{ file: "webhook-secret.txt" }],
  }),
  expires: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({
      description:
        "The secret is refused from this time on, which allows changing it without a gap. Default: never.",
      examples: ["2027-01-01T00:00:00Z"],
    }),
});

const syncSchema = z.strictObject({
  timeoutMs: milliseconds()
    .min(1)
    .default(5_000)
    .describe("Time within which the targets must respond, in ms."),
  late: z
    .enum(["queue", "fail"])
    .default("queue")
    .describe(
      "What happens to messages without a result after this time. queue: they are delivered later. fail: they are " +
        "listed in fail_list.",
    ),
});

const checkSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be a URL such as "http://127.0.0.1:9000"' }).meta({
    description: "URL of the service.",
    examples: ["http://127.0.0.1:9000"],
  }),
  timeoutMs: milliseconds().min(1).default(1_000).describe("Time limit of a check, in ms."),
});

const pushIdSchema = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: "RE2 pattern that the whole push id must match. Default: any push id.",
      examples: ["[a-z0-9-]{8,64}"],
    }),
  list: z
    .string()
    .min(1)
    .meta({ path: true, read: true })
    .optional()
    .meta({ description: "File with one push id per line. Default: none.", examples: ["push-ids.txt"] }),
  listMeans: z
    .enum(["usable", "unusable"])
    .default("usable")
    .describe("Whether the list has all usable push ids, or unusable ones."),
  check: checkSchema
    .optional()
    .describe("A service that implements engage.handler.v1.PushIdChecker. Default: none is asked."),
});

/** One entry of `webhook.channels`. */
export const channelSchema = z
  .strictObject({
    auth: z
      .literal("off")
      .optional()
      .describe("off: the channel accepts messages from any caller, and ignores secrets."),
    secrets: z
      .array(secretSchema)
      .max(16)
      .default([])
      .describe("Secrets that sign the messages of the channel; each of them is accepted."),
    signatureHeaders: z
      .array(headerName())
      .min(1)
      .max(8)
      .default([defaultSignatureHeader])
      .describe("Headers that may carry the signature."),
    headers: z
      .record(headerName(), secret())
      .default({})
      .refine((headers) => Object.keys(headers).length <= 10, "a channel has at most 10 headers")
      .meta({
        description:
          "Headers that every call must have, with their values: the custom headers of the platform's channel.",
        examples: [{ "X-Channel-Key": { file: "channel-key.txt" } }],
      }),
    mode: z
      .enum(["queue", "sync"])
      .default("queue")
      .describe("queue: replies when the batch is on disk. sync: replies when the targets have responded."),
    sync: syncSchema.prefault({}).describe("mode sync: how long it waits, and for what."),
    targets: z
      .array(targetName())
      .default([])
      .refine((names) => new Set(names).size === names.length, "a target is named twice")
      .meta({ description: "Names of the targets of the messages.", examples: [["mail", "crm"]] }),
    pushId: pushIdSchema.prefault({}).describe("Which push ids are usable. Messages to others fail."),
    maxMessages: z.int().min(1).max(100_000).default(500).describe("Messages of one batch."),
    maxBytes: z
      .int()
      .min(2)
      .default(16 * 1_048_576)
      .describe("Bytes of one batch."),
    maxDepth: z.int().min(4).max(512).default(64).describe("Nesting of objects and arrays."),
    dedupeWindowMs: milliseconds()
      .default(0)
      .describe(
        "Time in ms within which a repeated body gets the first reply again, for batches without an ops_request_id. " +
          "0: bodies are not compared.",
      ),
  })
  .refine(
    ({ auth, secrets }) => auth === "off" || secrets.length > 0,
    "needs secrets, or auth: off to accept messages without a signature",
  );

export type ChannelConfig = z.output<typeof channelSchema>;

const forwardSchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be a URL such as "https://ingest.example.com"' })
    .refine((url) => !/[?#]|\/sync_server\/*$/.test(url), "must be without /sync_server, query and fragment")
    .meta({
      description: "URL of the platform's ingest, to which /sync_server is appended.",
      examples: ["https://ingest.example.com"],
    }),
  appid: z
    .string()
    .regex(/^[!-~]+$/, "must be letters, digits and signs without spaces")
    .meta({ description: "App id of the project that gets the clicks.", examples: ["game-app"] }),
  batchRecords: z.int().min(1).max(10_000).default(500).describe("Clicks of one call at most."),
  batchBytes: z
    .int()
    .min(1_024)
    .max(67_108_864)
    .default(1_048_576)
    .describe("Bytes of one call at most, before compression. A longer click is sent alone."),
  timeoutMs: milliseconds().min(1).default(30_000).describe("Time limit of one call, in ms."),
  deleteForwarded: z
    .boolean()
    .default(true)
    .describe("Whether files are deleted after all their clicks were forwarded."),
});

export type ForwardConfig = z.output<typeof forwardSchema>;

/** `webhook.clicks`: how clicks are reported. */
export const clicksSchema = z.strictObject({
  event: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,49}$/, "must be a letter and up to 49 letters, digits or underscores")
    .default("ops_push_click")
    .describe("Event name of reports without one."),
  pushId: z
    .enum(["account_id", "distinct_id"])
    .default("account_id")
    .describe("Meaning of push ids: the property of users that they are."),
  appid: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: "#app_id of the events, which is the project they belong to. Default: none.",
      examples: ["game-app"],
    }),
  forward: forwardSchema
    .optional()
    .describe("Forwards clicks to the platform's ingest; without it they stay in the data folder."),
});

export type ClicksConfig = z.output<typeof clicksSchema>;
