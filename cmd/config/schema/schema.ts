import { z } from "zod";
import { eventsConfigSchema } from "../../../services/event/config.ts";
import { parserConfigSchema } from "../../../services/parser/config.ts";
import { parseListen } from "../listen.ts";
import { analysisSchema } from "./analysis.ts";
import { authSchema, tlsSchema } from "./auth.ts";
import { channelSchema } from "./channel.ts";
import { gatewaySchema } from "./gateway.ts";
import { limitsSchema } from "./limits.ts";
import { mcpSchema } from "./mcp.ts";
import { projectSchema } from "./project.ts";
import { storesSchema } from "./stores.ts";
import { tracingSchema } from "./tracing.ts";
import { filePath, milliseconds, section } from "./values.ts";
import { webhookSchema } from "./webhook.ts";

// A configuration is read once, so that generating code for its schemas would cost more than it saves.
z.config({ jitless: true });

const metricsSchema = z.strictObject({
  auth: z
    .enum(["keys", "off"])
    .default("off")
    .describe(
      "keys: /metrics requires any key of auth.keys, or a client certificate. off: it requires neither.",
    ),
});

const logSchema = z.strictObject({
  level: z
    .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])
    .default("info")
    .describe("The least severe lines that are written. silent: none."),
  access: z.boolean().default(true).describe("Whether each call writes a line."),
  pretty: z
    .boolean()
    .optional()
    .describe("Whether lines are text instead of JSON. Default: whether the log goes to a terminal."),
});

/** The schema of engage.yaml. Texts of settings are for the reference, for editors and for `--print`. */
export const configSchema = z.strictObject({
  listen: z
    .string()
    .refine(
      (text) => parseListen(text) !== undefined,
      'must be host:port with a port up to 65535, for example "127.0.0.1:8080" or "[::1]:8080"',
    )
    .default("127.0.0.1:8080")
    .describe(
      "Address and port of gRPC, gRPC-Web, Connect, REST and the console. Port 0: any free port. Other " +
        "addresses than loopback require a decision in auth.",
    ),
  data: filePath().default("./data").describe("Folder for everything that the service stores."),
  stores: section(storesSchema).describe("Where everything that must survive the process is stored."),
  tls: tlsSchema.optional().describe("TLS of the port. Default: none."),
  auth: section(authSchema).describe("Who may call the server."),
  gateway: section(gatewaySchema).describe("Calls from pages of browsers, and JSON bodies."),
  console: z.boolean().default(true).describe("Whether the console is served at /console/."),
  mcp: section(mcpSchema).describe("Tools of agents, by the Model Context Protocol."),
  metrics: section(metricsSchema).describe("The metrics of Prometheus at /metrics."),
  limits: section(limitsSchema).describe(
    "Limits of messages, connections and times, which protect the server from its callers.",
  ),
  drainMs: milliseconds()
    .default(10_000)
    .describe(
      "Time that calls in progress get to finish when the service stops, in ms. 0: they end at once.",
    ),
  log: section(logSchema).describe("The log, which goes to standard output."),
  tracing: section(tracingSchema).describe(
    "Traces of calls, deliveries, queries, loads and pushes for OpenTelemetry. Variables named OTEL_ set it too; " +
      "those named ENGAGE_TRACING_ take precedence over them, and both over this file.",
  ),
  parser: section(parserConfigSchema).describe("How log lines become event records."),
  projects: z
    .array(projectSchema)
    .default([])
    .describe("Projects, which own events, users and their definitions."),
  analysis: section(analysisSchema).describe("Who may query events, and how results are written."),
  events: section(eventsConfigSchema).describe("How records are accepted and stored."),
  webhook: section(webhookSchema).describe(
    "Webhooks of the engagement platform: channels that accept messages, and targets that get them.",
  ),
  channel: section(channelSchema).describe("Pushes through channels to receivers."),
});

/** The values of a configuration as its file writes them, with defaults. */
export type Settings = z.output<typeof configSchema>;
