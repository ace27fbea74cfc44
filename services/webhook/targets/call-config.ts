import { z } from "zod";
import { maxTimerMs } from "../../../base/async/clock.ts";
import { conditionPath, knownFields, validConditionFields } from "../delivery/routing.ts";
import { TemplateError } from "../mapping/placeholder.ts";
import { compileTemplate, compileText } from "../mapping/template.ts";

export const filePath = () => z.string().min(1).meta({ path: true });
/** A file that is read once. */
const pemPath = () => filePath().meta({ path: true, read: true });
const milliseconds = () => z.int().min(1).max(maxTimerMs);

/** A JSON value with placeholders. */
const template = () =>
  z.json().superRefine((value, context) => reportFaults(context, () => compileTemplate(value, "fail")));

/** A text with placeholders. */
export const textTemplate = () =>
  z
    .string()
    .min(1)
    .superRefine((value, context) => reportFaults(context, () => compileText(value, "fail")));

export function reportFaults(
  context: z.RefinementCtx,
  compile: () => unknown,
  place: readonly string[] = [],
): void {
  try {
    compile();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    context.addIssue({ code: "custom", path: [...place, ...error.path], message: error.message });
  }
}

const conditions = () =>
  z.record(z.string(), z.union([z.string(), z.array(z.string()).min(1)])).superRefine((fields, context) => {
    for (const field of Object.keys(fields)) {
      if (conditionPath(field) !== undefined) continue;
      const message = `is not a field of a message, ${knownFields(field)}`;
      context.addIssue({ code: "custom", path: [field], message });
    }
  });

/** Which messages of its channels a target gets. */
export const routing = {
  when: conditions()
    .optional()
    .meta({
      description: `Valid values of fields of the messages that the target gets: ${validConditionFields.join(", ")}. A message must match all fields. Default: all messages.`,
      examples: [{ language: ["en", "de"] }],
    }),
  otherwise: z
    .boolean()
    .default(false)
    .describe("Whether it gets the messages that match the conditions of no other target of their channel."),
  ordered: z
    .boolean()
    .default(false)
    .describe("Whether messages of one push_id are delivered one after the other."),
};

export const retry = z
  .strictObject({
    maxAttempts: z
      .int()
      .min(1)
      .max(1_000)
      .default(20)
      .describe("Attempts after which a message is given up and becomes a dead letter."),
    maxAgeMs: milliseconds()
      .default(86_400_000)
      .describe(
        "Longest time since the message was accepted, in ms. It does not apply to replayed messages.",
      ),
    minDelayMs: milliseconds()
      .default(1_000)
      .describe("Limit of the first delay, in ms; it doubles with each attempt."),
    maxDelayMs: milliseconds().default(3_600_000).describe("Limit of every delay, in ms."),
  })
  .prefault({})
  .describe("How often and how long a message is sent again.");

const breaker = z
  .strictObject({
    failures: z
      .int()
      .min(1)
      .max(1_000)
      .default(5)
      .describe("The breaker opens after this many consecutive failed calls."),
    openMs: milliseconds()
      .default(5_000)
      .describe("Time until the next call, in ms; it doubles each time the target is still down."),
    maxOpenMs: milliseconds().default(60_000).describe("Limit of this time, in ms."),
  })
  .prefault({})
  .describe("The circuit breaker, which stops calls of a target that is down.");

/** How a target is called. A call is one request, with one message or with several. */
export const calls = {
  concurrency: z.int().min(1).max(1_000).default(8).describe("Concurrent calls of the target."),
  maxPerSecond: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .meta({ description: "Calls that begin in any one second. Default: no limit.", examples: [50] }),
  timeoutMs: milliseconds().default(10_000).describe("Time limit of one call, in ms."),
  retry,
  breaker,
};

export const written = {
  body: template()
    .optional()
    .meta({
      description:
        "Template of the sent message: JSON whose texts may have placeholders such as {push_id} and " +
        "{params.title}. Default: the message as received.",
      examples: [{ to: "{push_id}", title: "{params.title}" }],
    }),
  missing: z
    .enum(["fail", "null", "omit"])
    .default("fail")
    .describe(
      "Treatment of placeholders without a value. fail: the message becomes a dead letter. null: they become null. " +
        "omit: their member is left out. Within a text, null and omit both mean an empty text.",
    ),
};

export const tls = z
  .strictObject({
    ca: pemPath()
      .optional()
      .meta({
        description: "File with the authorities of the target's certificate, in PEM. Default: those of Node.",
        examples: ["tls/target-ca.crt"],
      }),
    cert: pemPath()
      .optional()
      .meta({
        description: "File with the client certificate, in PEM. It needs key.",
        examples: ["tls/client.crt"],
      }),
    key: pemPath()
      .optional()
      .meta({
        description: "File with the key of the client certificate, in PEM. It needs cert.",
        examples: ["tls/client.key"],
      }),
  })
  .refine(({ cert, key }) => (cert === undefined) === (key === undefined), "needs cert and key together")
  .prefault({})
  .describe("TLS of the connection to the target.");
