import { isIP } from "node:net";
import { z } from "zod";
import { maxTimerMs } from "../../../base/async/clock.ts";
import { parsePlace } from "../../../base/net/outbound.ts";
import { isCidr } from "../../../base/net/special-networks.ts";
import { conditionPath, validConditionFields } from "../delivery/routing.ts";
import { compileHeader } from "../mapping/header-template.ts";
import { TemplateError } from "../mapping/placeholder.ts";
import { compileTemplate, compileText } from "../mapping/template.ts";
import { beforePath, compileUrl, hasPlaceholderBeforePath } from "../mapping/url-template.ts";
import { decodeSecret } from "./standard-webhooks.ts";

const secret = () => z.string().min(1).meta({ secret: true });
const filePath = () => z.string().min(1).meta({ path: true });
const milliseconds = () => z.int().min(1).max(maxTimerMs);
const port = () => z.int().min(1).max(65_535);
/** A host name or an address, without the brackets that an IPv6 address has in URLs. */
const host = () =>
  z
    .string()
    .refine(
      (text) => isIP(text) === 6 || /^[^\s/:[\]@]+$/.test(text),
      'must be a host such as "mail.example.com" or an address, without a port',
    );
const headerName = () =>
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of an HTTP header such as "X-Api-Key"');

const httpUrl = () =>
  z.string().superRefine((text, context) => {
    const message = faultOfUrl(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

function faultOfUrl(text: string): string | undefined {
  if (hasPlaceholderBeforePath(text) && text.includes("//")) return beforePath;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return 'must be a URL such as "https://example.com/messages"';
  }
  return url.username === "" ? undefined : "must not have a user name, use headers instead";
}

/** A JSON value with placeholders. */
const template = () =>
  z.json().superRefine((value, context) => reportFaults(context, () => compileTemplate(value, "fail")));

/** A text with placeholders. */
const textTemplate = () =>
  z
    .string()
    .min(1)
    .superRefine((value, context) => reportFaults(context, () => compileText(value, "fail")));

function reportFaults(context: z.RefinementCtx, compile: () => unknown, place: readonly string[] = []): void {
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
      const valid = validConditionFields.join(", ");
      context.addIssue({
        code: "custom",
        path: [field],
        message: `is not a field of a message, valid are ${valid}`,
      });
    }
  });

/** Which messages of its channels a target gets. */
const routing = {
  /** Valid values of fields, for example `language: [en, de]`. */
  when: conditions().optional(),
  /** Gets the messages that match the conditions of no other target of their channel. */
  otherwise: z.boolean().default(false),
  /** Delivers messages of one push_id one after the other. */
  ordered: z.boolean().default(false),
};

const retry = z
  .strictObject({
    maxAttempts: z.int().min(1).max(1_000).default(20),
    /** Longest time since the message was accepted. */
    maxAgeMs: milliseconds().default(86_400_000),
    /** Limit of the first delay; it doubles with each attempt. */
    minDelayMs: milliseconds().default(1_000),
    maxDelayMs: milliseconds().default(3_600_000),
  })
  .prefault({});

/** How a target is called. A call is one request, with one message or with several. */
const calls = {
  /** Concurrent calls. */
  concurrency: z.int().min(1).max(1_000).default(8),
  /** Calls that begin in any one second. */
  maxPerSecond: z.int().min(1).max(10_000).optional(),
  /** Limit of one call. */
  timeoutMs: milliseconds().default(10_000),
  retry,
  breaker: z
    .strictObject({
      /** The breaker opens after this many consecutive failed calls. */
      failures: z.int().min(1).max(1_000).default(5),
      /** Time until the next call; it doubles each time the target is still down. */
      openMs: milliseconds().default(5_000),
      maxOpenMs: milliseconds().default(60_000),
    })
    .prefault({}),
};

const written = {
  /** Template of the sent message. Default: the message as received. */
  body: template().optional(),
  /** The treatment of placeholders without a value. */
  missing: z.enum(["fail", "null", "omit"]).default("fail"),
};

const tls = z
  .strictObject({
    /** Authorities of the target's certificate, PEM. Default: those of Node. */
    ca: filePath().optional(),
    /** Client certificate and its key, PEM. */
    cert: filePath().optional(),
    key: filePath().optional(),
  })
  .refine(({ cert, key }) => (cert === undefined) === (key === undefined), "needs cert and key together")
  .prefault({});

const responseBytes = z.int().min(0).max(67_108_864);

const http = z
  .strictObject({
    kind: z.literal("http"),
    ...routing,
    ...calls,
    ...written,
    tls,
    /** Path and query may have placeholders, whose values are encoded. */
    url: httpUrl(),
    method: z.enum(["POST", "PUT"]).default("POST"),
    /** Values may have placeholders. */
    headers: z.record(headerName(), secret()).default({}),
    /** One request for each message, or one with a list for the messages of a batch. */
    per: z.enum(["message", "batch"]).default("message"),
    maxMessages: z.int().min(1).max(1_000).default(100),
    /** Secrets of Standard Webhooks; each of several adds a signature. */
    signing: z
      .array(secret().refine(isSigningSecret, 'must be "whsec_" and base64 of 24 to 64 bytes'))
      .max(4)
      .default([]),
    maxAnswerBytes: responseBytes.default(65_536),
  })
  .superRefine(({ url, headers, per, missing }, context) => {
    const rules = { missing, isForBatch: per === "batch" };
    if (faultOfUrl(url) === undefined) reportFaults(context, () => compileUrl(url, rules), ["url"]);
    for (const [name, value] of Object.entries(headers)) {
      reportFaults(context, () => compileHeader(name, value, rules), ["headers", name]);
    }
  });

function isSigningSecret(text: string): boolean {
  return decodeSecret(text) !== undefined;
}

const grpc = z.strictObject({
  kind: z.literal("grpc"),
  ...routing,
  ...calls,
  tls,
  /** A service that implements engage.handler.v1.MessageHandler. */
  url: httpUrl().refine((text) => (URL.parse(text)?.pathname || "/") === "/", "must have no path"),
  bearer: secret().optional(),
  maxMessages: z.int().min(1).max(1_000).default(500),
  maxAnswerBytes: responseBytes.default(4_194_304),
});

const smtp = z
  .strictObject({
    kind: z.literal("smtp"),
    ...routing,
    ...calls,
    missing: written.missing,
    tls,
    host: host(),
    port: port().default(587),
    security: z.enum(["tls", "starttls", "none"]).default("starttls"),
    user: z.string().min(1).optional(),
    password: secret().optional(),
    from: z.string().regex(/^[^\s<>@]+@[^\s<>@]+$/, 'must be a mail address such as "news@example.com"'),
    /** Template of one mail address, for example `{push_id}`. */
    to: textTemplate(),
    subject: textTemplate(),
    text: textTemplate().optional(),
    /** Values of placeholders are escaped. */
    html: textTemplate().optional(),
  })
  .refine(({ text, html }) => text !== undefined || html !== undefined, "needs text or html")
  .refine(
    ({ user, password }) => (user === undefined) === (password === undefined),
    "needs user and password together",
  );

const nats = z
  .strictObject({
    kind: z.literal("nats"),
    ...routing,
    ...calls,
    ...written,
    tls,
    servers: z
      .array(z.url({ protocol: /^(nats|tls)$/, error: 'must be a URL such as "nats://127.0.0.1:4222"' }))
      .min(1),
    subject: z
      .string()
      .regex(/^[^\s.*>]+(\.[^\s.*>]+)*$/, 'must be a subject without wildcards such as "push.mail"'),
    user: z.string().min(1).optional(),
    password: secret().optional(),
    token: secret().optional(),
  })
  .refine(
    ({ user, password }) => (user === undefined) === (password === undefined),
    "needs user and password together",
  )
  .refine(({ user, token }) => user === undefined || token === undefined, "needs either user or token");

const redis = z.strictObject({
  kind: z.literal("redis"),
  ...routing,
  ...calls,
  ...written,
  host: host(),
  port: port().default(6_379),
  /** Left out: no TLS. */
  tls: tls.unwrap().optional(),
  user: z.string().min(1).optional(),
  password: secret().optional(),
  database: z.int().min(0).default(0),
  stream: z.string().min(1),
  /** The stream is cut to about this many entries. */
  maxLength: z.int().min(1).optional(),
});

const file = z.strictObject({
  kind: z.literal("file"),
  ...routing,
  ...calls,
  ...written,
  path: filePath(),
});

const log = z.strictObject({ kind: z.literal("log"), ...routing, ...calls, ...written });

const pull = z.strictObject({ kind: z.literal("pull"), ...routing, retry });

/** One entry of `webhook.targets`. */
export const targetSchema = z.discriminatedUnion("kind", [http, grpc, smtp, nats, redis, file, log, pull]);

export type TargetConfig = z.output<typeof targetSchema>;

/** `webhook.outbound`: places that targets may connect to although they are not public. */
export const outboundSchema = z.strictObject({
  allow: z
    .array(
      z
        .string()
        .refine(
          (text) => isCidr(text) || parsePlace(text) !== undefined,
          'must be a network such as "10.0.0.0/8", an address, or a place such as "mail.internal:587"',
        ),
    )
    .default([]),
});
