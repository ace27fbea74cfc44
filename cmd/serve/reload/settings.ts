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
  logLevel: [["log", "level"]],
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
  { paths: [["listen"], ["tls"], ["limits"]], reason: "The port is open." },
  {
    paths: [["data"], ["stores"], ["webhook", "inbox"], ["channel", "store"], ["parser", "deadLetters"]],
    reason: "Files and databases are open, and what they hold stays where it is.",
  },
  {
    paths: [["auth", "mode"], ["console"], ["gateway"], ["mcp"], ["metrics"]],
    reason: "What is served, and whether callers need a key, is decided at the start.",
  },
  {
    paths: [["projects"], ["events"], ["parser", "store"], ["analysis", "platform"]],
    reason: "The stores of records and the threads that fill them are opened with these settings.",
  },
  {
    paths: [
      ["analysis", "rateLimit"],
      ["analysis", "cacheMaxBytes"],
      ["analysis", "readerStallMs"],
      ["analysis", "percentAs"],
      ["channel", "outbound"],
      ["channel", "retentionMs"],
      ["channel", "concurrency"],
      ["webhook", "clicks"],
    ],
    reason: "Queries, pushes and clicks in progress use them.",
  },
  {
    paths: [["log", "access"], ["log", "pretty"], ["tracing"], ["drainMs"]],
    reason: "The log, the collector of traces and the stop are prepared at the start.",
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
