import { isIP } from "node:net";
import { z } from "zod";
import { parsePlace } from "../../../base/net/outbound.ts";
import { isCidr } from "../../../base/net/special-networks.ts";
import { compileHeader } from "../mapping/header-template.ts";
import { beforePath, compileUrl, hasPlaceholderBeforePath } from "../mapping/url-template.ts";
import { calls, filePath, reportFaults, retry, routing, textTemplate, tls, written } from "./call-config.ts";
import { decodeSecret } from "./standard-webhooks.ts";

const secret = () => z.string().min(1).meta({ secret: true });
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

const kind = <K extends string>(name: K, what: string) => z.literal(name).describe(what);

const responseBytes = z.int().min(0).max(67_108_864);

const http = z
  .strictObject({
    kind: kind("http", "http: messages go to a URL, as JSON."),
    ...routing,
    ...calls,
    ...written,
    tls,
    url: httpUrl().meta({
      description:
        "URL that is called. Path and query may have placeholders such as {push_id}, whose values are encoded.",
      examples: ["https://example.com/messages"],
    }),
    method: z.enum(["POST", "PUT"]).default("POST").describe("Method of the request."),
    headers: z
      .record(headerName(), secret())
      .default({})
      .meta({
        description: "Headers of the request. Values may have placeholders.",
        examples: [{ "X-Api-Key": { file: "crm-key.txt" } }],
      }),
    per: z
      .enum(["message", "batch"])
      .default("message")
      .describe("message: one request for each message. batch: one with a list for the messages of a batch."),
    maxMessages: z.int().min(1).max(1_000).default(100).describe("per batch: messages of one request."),
    signing: z
      .array(secret().refine(isSigningSecret, 'must be "whsec_" and base64 of 24 to 64 bytes'))
      .max(4)
      .default([])
      .meta({
        description: "Secrets of Standard Webhooks; each of several adds a signature.",
        examples: [["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]],
      }),
    maxAnswerBytes: responseBytes.default(65_536).describe("Bytes of a response that are read. 0: none."),
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
  kind: kind("grpc", "grpc: messages go to a service that implements engage.handler.v1.MessageHandler."),
  ...routing,
  ...calls,
  tls,
  url: httpUrl()
    .refine((text) => (URL.parse(text)?.pathname || "/") === "/", "must have no path")
    .meta({
      description: "URL of a service that implements engage.handler.v1.MessageHandler, without a path.",
      examples: ["http://127.0.0.1:9090"],
    }),
  bearer: secret()
    .optional()
    .meta({
      description: "Bearer key of the calls. Default: none.",
      examples: [{ file: "handler-key.txt" }],
    }),
  maxMessages: z.int().min(1).max(1_000).default(500).describe("Messages of one call."),
  maxAnswerBytes: responseBytes
    .default(4_194_304)
    .describe("Bytes of a response. A call with a longer one fails."),
});

const smtp = z
  .strictObject({
    kind: kind("smtp", "smtp: messages become mails."),
    ...routing,
    ...calls,
    missing: written.missing,
    tls,
    host: host().meta({ description: "Host of the mail server.", examples: ["mail.example.com"] }),
    port: port().default(587).describe("Port of the mail server."),
    security: z
      .enum(["tls", "starttls", "none"])
      .default("starttls")
      .describe(
        "tls: TLS from the first byte, usual at port 465. starttls: STARTTLS is required. none: no TLS at all.",
      ),
    user: z
      .string()
      .min(1)
      .optional()
      .meta({ description: "User of the login. It needs password. Default: no login.", examples: ["news"] }),
    password: secret()
      .optional()
      .meta({
        description: "Password of the login. It needs user.",
        examples: [{ file: "mail-password.txt" }],
      }),
    from: z
      .string()
      .regex(/^[^\s<>@]+@[^\s<>@]+$/, 'must be a mail address such as "news@example.com"')
      .meta({ description: "Mail address of the sender.", examples: ["news@example.com"] }),
    to: textTemplate().meta({
      description: "Template of one mail address.",
      examples: ["{push_id}"],
    }),
    subject: textTemplate().meta({ description: "Template of the subject.", examples: ["{params.title}"] }),
    text: textTemplate()
      .optional()
      .meta({
        description: "Template of the plain text. A mail needs text or html.",
        examples: ["{params.body}"],
      }),
    html: textTemplate()
      .optional()
      .meta({
        description: "Template of the HTML, in which values of placeholders are escaped.",
        examples: ["<p>{params.body}</p>"],
      }),
  })
  .refine(({ text, html }) => text !== undefined || html !== undefined, "needs text or html")
  .refine(
    ({ user, password }) => (user === undefined) === (password === undefined),
    "needs user and password together",
  );

const user = (of: string) =>
  z
    .string()
    .min(1)
    .optional()
    .meta({ description: `User of the ${of} server. Default: none.`, examples: ["engage"] });
const password = (of: string) =>
  secret()
    .optional()
    .meta({ description: `Password of the ${of} server.`, examples: [{ file: "password.txt" }] });

const nats = z
  .strictObject({
    kind: kind("nats", "nats: messages are published to a subject of a JetStream stream."),
    ...routing,
    ...calls,
    ...written,
    tls,
    servers: z
      .array(z.url({ protocol: /^(nats|tls)$/, error: 'must be a URL such as "nats://127.0.0.1:4222"' }))
      .min(1)
      .meta({
        description: "URLs of the servers, with nats: or tls:. The first one that replies is used.",
        examples: [["nats://127.0.0.1:4222"]],
      }),
    subject: z
      .string()
      .regex(/^[^\s.*>]+(\.[^\s.*>]+)*$/, 'must be a subject without wildcards such as "push.mail"')
      .meta({
        description: "Subject that a stream of JetStream listens to.",
        examples: ["push.mail"],
      }),
    user: user("NATS"),
    password: password("NATS"),
    token: secret()
      .optional()
      .meta({
        description: "Token of the NATS server, instead of user and password.",
        examples: [{ file: "nats-token.txt" }],
      }),
  })
  .refine(
    ({ user, password }) => (user === undefined) === (password === undefined),
    "needs user and password together",
  )
  .refine(({ user, token }) => user === undefined || token === undefined, "needs either user or token");

const redis = z.strictObject({
  kind: kind("redis", "redis: messages are added to a stream."),
  ...routing,
  ...calls,
  ...written,
  host: host().meta({ description: "Host of the Redis server.", examples: ["redis.example.com"] }),
  port: port().default(6_379).describe("Port of the Redis server."),
  tls: tls.unwrap().optional().describe("TLS of the connection to the target. Default: no TLS."),
  user: user("Redis"),
  password: password("Redis"),
  database: z.int().min(0).default(0).describe("Number of the database."),
  stream: z
    .string()
    .min(1)
    .meta({ description: "Key of the stream.", examples: ["push"] }),
  maxLength: z
    .int()
    .min(1)
    .optional()
    .meta({
      description: "The stream is cut to about this many entries. Default: it is not cut.",
      examples: [1_000_000],
    }),
});

const file = z.strictObject({
  kind: kind("file", "file: messages are appended to a file, one a line."),
  ...routing,
  ...calls,
  ...written,
  path: filePath().meta({ description: "The file.", examples: ["/var/lib/engage/messages.ndjson"] }),
});

const log = z.strictObject({
  kind: kind("log", "log: messages go to the log of this service."),
  ...routing,
  ...calls,
  ...written,
});

const pull = z.strictObject({
  kind: kind("pull", "pull: a handler fetches the messages by LeaseMessages and SettleMessages."),
  ...routing,
  retry,
});

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
    .default([])
    .meta({
      description:
        "Networks, addresses, and places of host and port. All other addresses that are not public are refused.",
      examples: [["10.0.0.0/8", "mail.internal:587"]],
    }),
});
