import { z } from "zod";
import { maxTimerMs } from "../../../base/async/clock.ts";
import { isCidr } from "../../../base/net/special-networks.ts";
import { defaultLimits } from "../../../gateway/limits.ts";
import { projectAnalysisShape } from "../../../services/analysis/project/config.ts";
import { eventsConfigSchema } from "../../../services/event/config.ts";
import { parserConfigSchema } from "../../../services/parser/config.ts";
import { parseListen } from "../listen.ts";
import { analysisSchema } from "./analysis.ts";
import { channelSchema } from "./channel.ts";
import { gatewaySchema } from "./gateway.ts";
import { storesSchema } from "./stores.ts";
import { webhookSchema } from "./webhook.ts";

// A configuration is read once, so that generating code for its schemas would cost more than it saves.
z.config({ jitless: true });

// Log shippers send batches of up to 100,000 lines in one message.
const parseMaxBytes = 100 * 1_048_576;

const filePath = () => z.string().min(1).meta({ path: true });
const bytes = () => z.int().min(1);
const count = () => z.int().min(1);
const network = () =>
  z.string().refine(isCidr, 'must be an address such as "10.0.0.7" or a network such as "10.0.0.0/8"');
// Timers of Node accept no longer delay.
const milliseconds = () => z.int().min(0).max(maxTimerMs);
const name = () =>
  z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      "must be 1 to 64 letters, digits, dots, dashes or underscores",
    );
const sha256 = () =>
  z.string().regex(/^[0-9a-f]{64}$/i, "must be the SHA-256 of the key as 64 hexadecimal digits");

const methodName = () =>
  z.string().regex(/^[A-Za-z_][\w.]*\/[A-Za-z_]\w*$/, 'must be a method such as "proto.Parser/Parse"');
const methodPattern = () =>
  z
    .string()
    .regex(
      /^(\*|[A-Za-z_][\w.]*\/(\*|[A-Za-z_]\w*))$/,
      'must be "*", a service such as "proto.Parser/*" or a method such as "proto.Parser/Parse"',
    );

const tlsSchema = z.strictObject({
  /** Certificate chain, PEM. */
  cert: filePath(),
  /** Private key of the certificate, PEM. */
  key: filePath(),
  /** Authorities that sign client certificates, PEM. When set, every caller must present a certificate. */
  ca: filePath().optional(),
});

const methods = () => z.array(methodPattern()).min(1);

const authSchema = z.strictObject({
  mode: z.enum(["keys", "off"]).optional(),
  keys: z
    .array(
      z.strictObject({
        name: name(),
        sha256: sha256(),
        methods: methods().default(["*"]),
        /** `read`: only calls that change nothing. */
        access: z.enum(["read", "write"]).default("write"),
      }),
    )
    .default([]),
  /** Subjects of client certificates. Default: every certificate signed by tls.ca may call everything. */
  certificates: z.array(z.strictObject({ subject: z.string().min(1), methods: methods() })).optional(),
});

const limitsSchema = z.strictObject({
  /** Bytes of a request message, after decompression. */
  maxMessageBytes: bytes().default(defaultLimits.maxMessageBytes),
  /** Bytes of a request message by method. */
  methods: z
    .record(methodName(), bytes())
    .default({})
    .transform(
      (methods): Readonly<Record<string, number>> => ({ "proto.Parser/Parse": parseMaxBytes, ...methods }),
    ),
  /** Bytes of a request message of unknown callers, in whose bodies an app id is searched. */
  unknownCallerBytes: bytes().default(defaultLimits.unknownCallerBytes),
  /** Limits of a JSON body; some methods have lower ones. */
  json: z
    .strictObject({
      /** Nesting depth of objects and arrays. */
      depth: count().default(defaultLimits.json.depth),
      /** Members of one object. */
      members: count().default(defaultLimits.json.members),
      /** Elements of one array. */
      elements: count().default(defaultLimits.json.elements),
      /** Members of all objects together. */
      keys: count().default(defaultLimits.json.keys),
      /** Bytes of one key. */
      keyBytes: count().default(defaultLimits.json.keyBytes),
      /** Values of any kind together. */
      values: count().default(defaultLimits.json.values),
      /** Numbers of 16 or more digits. */
      longNumbers: count().default(defaultLimits.json.longNumbers),
    })
    .prefault({}),
  maxConnections: count().default(defaultLimits.maxConnections),
  /** Connections per address. With IPv6, an address is a network of 64 bits. */
  maxConnectionsPerAddress: count().default(defaultLimits.maxConnectionsPerAddress),
  /** Concurrent calls per address. */
  maxCallsPerAddress: count().default(defaultLimits.maxCallsPerAddress),
  /** Concurrent streaming calls per connection of callers without a key, such as health watches. */
  openStreamsPerConnection: count().default(defaultLimits.openStreamsPerConnection),
  openStreamsPerAddress: count().default(defaultLimits.openStreamsPerAddress),
  /** Addresses and networks of proxies, which are exempt from limits per address. */
  trustedProxies: z.array(network()).default([]),
  /** Bytes of incomplete bodies and of large unread responses, over all connections. */
  openBytes: bytes().default(defaultLimits.openBytes),
  openBytesPerAddress: bytes().default(defaultLimits.openBytesPerAddress),
  openBytesPerConnection: bytes().default(defaultLimits.openBytesPerConnection),
  /** Minimum rate of bodies after 30 s, and of readers of large responses. */
  minBytesPerSecond: count().default(defaultLimits.minBytesPerSecond),
  /** Time after which a reader that does not read its response is disconnected. */
  stallTimeoutMs: milliseconds().min(1).default(defaultLimits.stallTimeoutMs),
  /** Time after which a connection without a request is closed. */
  unusedTimeoutMs: milliseconds().min(1).default(defaultLimits.unusedTimeoutMs),
  /** Concurrent calls per HTTP/2 connection. */
  maxConcurrentStreams: z.int().min(1).max(2_147_483_647).default(defaultLimits.maxConcurrentStreams),
  /** Time to send the head of a request. */
  headersTimeoutMs: milliseconds().default(defaultLimits.headersTimeoutMs),
  /** Time to send a whole request. */
  requestTimeoutMs: milliseconds().default(defaultLimits.requestTimeoutMs),
  /** Time without traffic after which a connection is closed. */
  idleTimeoutMs: milliseconds().default(defaultLimits.idleTimeoutMs),
  maxHeaderBytes: z.int().min(1024).default(defaultLimits.maxHeaderBytes),
  /** Maximum deadline; longer ones are shortened. */
  maxDeadlineMs: milliseconds().min(1).default(defaultLimits.maxDeadlineMs),
  /** Shorter responses are not compressed, even when the caller accepts it. */
  compressMinBytes: z.int().min(0).default(defaultLimits.compressMinBytes),
});

const metricsSchema = z.strictObject({
  /** `keys`: /metrics requires any of auth.keys, or a client certificate. */
  auth: z.enum(["keys", "off"]).default("off"),
});

const logSchema = z.strictObject({
  level: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  /** One line for each call. */
  access: z.boolean().default(true),
  /** Text instead of JSON. Default: whether the log goes to a terminal. */
  pretty: z.boolean().optional(),
});

const zone = () =>
  z.string().refine(isZone, 'must be an offset such as "+08:00" or an IANA name such as "Europe/Berlin"');

const projectSchema = z.strictObject({
  id: z.int().min(1),
  name: z.string().min(1).optional(),
  appids: z.array(z.string().min(1)).default([]),
  zone: zone().default("+00:00"),
  /** Replaces events.keepDays for this project. */
  keepDays: z.int().min(1).max(100_000).optional(),
  /** The engine of its queries: the events stored here, or the deployment in analysis.platform. */
  engine: z.enum(["embedded", "platform"]).default("embedded"),
  ...projectAnalysisShape,
});

/** Makes a section optional, with the defaults of its own values. */
const section = <S extends z.ZodType>(schema: S) => schema.prefault({} as z.input<S>);

/** The schema of engage.yaml. */
export const configSchema = z.strictObject({
  listen: z
    .string()
    .refine(
      (text) => parseListen(text) !== undefined,
      'must be host:port, for example "127.0.0.1:8080" or "[::1]:8080"',
    )
    .default("127.0.0.1:8080"),
  /** Folder for everything the service stores. */
  data: filePath().default("./data"),
  stores: section(storesSchema),
  tls: tlsSchema.optional(),
  auth: section(authSchema),
  gateway: section(gatewaySchema),
  /** Whether the console is served at /console/. */
  console: z.boolean().default(true),
  metrics: section(metricsSchema),
  limits: section(limitsSchema),
  /** Time that calls in flight get to finish when the service stops. */
  drainMs: milliseconds().default(10_000),
  log: section(logSchema),
  parser: section(parserConfigSchema),
  projects: z.array(projectSchema).default([]),
  analysis: section(analysisSchema),
  events: section(eventsConfigSchema),
  webhook: section(webhookSchema),
  channel: section(channelSchema),
});

/** The values of a configuration as its file writes them, with defaults. */
export type Settings = z.output<typeof configSchema>;

function isZone(text: string): boolean {
  if (/^[+-](0\d|1[0-4]):[0-5]\d$/.test(text)) return true;
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return /^[A-Za-z]/.test(text);
  } catch {
    return false;
  }
}
