import { type ConfigPath, isWithin } from "../../config/problem.ts";

/**
 * The settings that a running server changes when it reads its configuration again, by the part that changes them. The
 * reference of the configuration is written from this list, and the parts find their settings in it.
 */
export const reloadable = {
  keys: [
    ["auth", "keys"],
    ["auth", "certificates"],
  ],
  /** Values that are read when they are used. */
  live: [
    ["metrics", "auth"],
    ["mcp", "push", "allow"],
    ["mcp", "push", "maxPerDay"],
    ["mcp", "push", "maxUsers"],
    ["drainMs"],
    ["log", "level"],
    ["log", "access"],
    ["analysis", "rateLimit"],
    ["analysis", "cacheMaxBytes"],
    ["analysis", "readerStallMs"],
    ["events", "keepDays"],
    ["events", "spool", "minFreeBytes"],
    ["events", "lag", "warnMs"],
    ["events", "lag", "standstillMs"],
    ["webhook", "inbox", "retention", "claimMs"],
    ["webhook", "inbox", "retention", "finishedMs"],
    ["webhook", "inbox", "retention", "deadLetterMs"],
    ["webhook", "inbox", "maxPendingAgeMs"],
    ["channel", "outbound", "allow"],
    ["channel", "retentionMs"],
  ],
  limits: [
    ["gateway", "hosts"],
    ["gateway", "cors"],
    ["limits", "maxMessageBytes"],
    ["limits", "methods"],
    ["limits", "unknownCallerBytes"],
    ["limits", "json"],
    ["limits", "maxConnections"],
    ["limits", "maxConnectionsPerAddress"],
    ["limits", "maxCallsPerAddress"],
    ["limits", "openStreamsPerConnection"],
    ["limits", "openStreamsPerAddress"],
    ["limits", "trustedProxies"],
    ["limits", "openBytes"],
    ["limits", "openBytesPerAddress"],
    ["limits", "openBytesPerConnection"],
    ["limits", "minBytesPerSecond"],
    ["limits", "stallTimeoutMs"],
    ["limits", "unusedTimeoutMs"],
    ["limits", "maxConcurrentStreams"],
    ["limits", "requestTimeoutMs"],
    ["limits", "idleTimeoutMs"],
    ["limits", "maxDeadlineMs"],
    ["limits", "compressMinBytes"],
  ],
  certificate: [
    ["tls", "cert"],
    ["tls", "key"],
    ["tls", "ca"],
  ],
  parser: [
    ["parser", "separator"],
    ["parser", "indexSeparator"],
    ["parser", "recordSeparator"],
    ["parser", "framing"],
    ["parser", "maxLineBytes"],
    ["parser", "workers"],
    ["parser", "workerThresholdBytes"],
    ["parser", "formats"],
  ],
  tokens: [["analysis", "tokens"]],
  webhooks: [
    ["webhook", "channels"],
    ["webhook", "targets"],
    ["webhook", "outbound"],
  ],
} as const satisfies Readonly<Record<string, readonly ConfigPath[]>>;

export type PartName = keyof typeof reloadable;

/** Settings that need a restart, and why. */
export interface RestartRule {
  readonly paths: readonly ConfigPath[];
  /** A whole sentence. */
  readonly reason: string;
}

export const restartRules: readonly RestartRule[] = [
  {
    paths: [["listen"], ["limits", "maxHeaderBytes"], ["limits", "headersTimeoutMs"]],
    reason: "The port is open with them.",
  },
  {
    paths: [
      ["data"],
      ["stores"],
      ["webhook", "inbox", "driver"],
      ["webhook", "inbox", "file"],
      ["webhook", "inbox", "url"],
      ["webhook", "inbox", "schema"],
      ["channel", "store"],
      ["parser", "deadLetters"],
      ["events", "driver"],
      ["events", "deadLetters"],
    ],
    reason: "Files and databases are open, and what they hold stays where it is.",
  },
  {
    paths: [
      ["webhook", "inbox", "maxConnections"],
      ["webhook", "inbox", "minFreeBytes"],
      ["webhook", "inbox", "maxBytes"],
      ["events", "maxProperties"],
      ["events", "maxEventNames"],
      ["events", "maxNewNamesPerMinute"],
      ["events", "uuidWindow"],
      ["events", "batch"],
      ["events", "spool", "maxFileBytes"],
      ["events", "engine"],
      ["channel", "concurrency"],
    ],
    reason: "Threads, pools of connections and queues are made with these sizes.",
  },
  {
    paths: [["projects"], ["parser", "store"], ["analysis", "platform"], ["webhook", "clicks"]],
    reason: "Records, their definitions and the engines of queries belong to the projects of the start.",
  },
  {
    paths: [
      ["auth", "mode"],
      ["console"],
      ["gateway", "json"],
      ["mcp", "enabled"],
      ["analysis", "percentAs"],
    ],
    reason: "What is served, to whom and in which form is decided at the start.",
  },
  {
    paths: [["log", "pretty"], ["tracing"]],
    reason: "The log and the collector of traces are opened with them.",
  },
];

/** Returns whether a change of the setting takes effect at SIGHUP. */
export function isReloaded(path: ConfigPath): boolean {
  return Object.values(reloadable).some((paths) => paths.some((own) => isWithin(path, own)));
}

/** Returns whether changes of some settings below the path take effect at SIGHUP, and of others with the next start. */
export function isPartlyReloaded(path: ConfigPath): boolean {
  return Object.values(reloadable).some((paths) =>
    paths.some((own) => own.length > path.length && isWithin(own, path)),
  );
}
