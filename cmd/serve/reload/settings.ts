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
    paths: [["data"], ["stores"], ["webhook", "inbox"], ["channel", "store"], ["parser", "deadLetters"]],
    reason: "Files and databases are open, and what they hold stays where it is.",
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
    paths: [["projects"], ["events"], ["parser", "store"], ["analysis", "platform"]],
    reason: "The stores of records and the threads that fill them are opened with these settings.",
  },
  {
    paths: [
      ["channel", "outbound"],
      ["channel", "retentionMs"],
      ["channel", "concurrency"],
      ["webhook", "clicks"],
    ],
    reason: "Pushes and clicks in progress use them.",
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
