import { z } from "zod";
import { maxTimerMs } from "../../../base/async/clock.ts";
import { overallLabels } from "../text-form.ts";

// Timers of Node accept no longer delay.
const milliseconds = () => z.int().min(1).max(maxTimerMs);

const breakerSchema = z.strictObject({
  /** The number of consecutive failed calls after which the circuit breaker opens. */
  failures: z.int().min(1).default(5),
  /** How long the circuit breaker stays open the first time. The time doubles each time after that. */
  openMs: milliseconds().default(2_000),
  maxOpenMs: milliseconds().default(60_000),
});

const forwardedPath = () =>
  z
    .string()
    .regex(
      /^(?:\*|(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*(?:\/\*)?)$/,
      'must be a path below /open/ such as "retention-analyze" or "funnel/*", or "*" for all',
    );

/** `analysis.platform`: a deployment that processes the queries of projects instead of the embedded engine. */
export const platformConfigSchema = z.strictObject({
  /** The URL to which `/open/event-analyze` and the other paths are appended. */
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'must be a URL such as "https://platform.example.com"' })
    .refine(
      (url) => !/[?#@]|\/open\/*$/.test(url),
      "must be without user, query and fragment, and without /open",
    ),
  /** The platform's query key. It has at least 8 characters, so that it can be found and masked wherever it occurs. */
  token: z.string().min(8).meta({ secret: true }),
  /**
   * The time limit of a response; a download only has to begin in this time. Queries that allow a longer time get it.
   */
  timeoutMs: milliseconds().default(90_000),
  connectTimeoutMs: milliseconds().default(5_000),
  /** The longest silence within a response. */
  idleTimeoutMs: milliseconds().default(30_000),
  /** The TLS settings of a platform at `https:`. */
  tls: z
    .strictObject({
      /** The authorities that sign the platform's certificate, PEM. Default: those of Node. */
      ca: z.string().min(1).meta({ path: true }).optional(),
    })
    .prefault({}),
  maxConnections: z.int().min(1).max(1_024).default(32),
  /** How often a query is sent again if its connection fails before a byte of the response has arrived. */
  retries: z.int().min(0).max(10).default(2),
  /** The most bytes of a response that is not a download. */
  maxAnswerBytes: z.int().min(1_024).default(67_108_864),
  /** The most bytes of a row of a download, for callers that get rows. */
  maxRowBytes: z.int().min(1_024).default(1_048_576),
  breaker: breakerSchema.prefault({}),
  /** Additional paths below `/open/` that are passed through. `a/*` includes everything below `a`. */
  paths: z.array(forwardedPath()).default([]),
  /** The platform's ids of projects, by their ids here. A project without an entry has the same id in both. */
  projects: z.record(z.string().regex(/^[1-9]\d{0,15}$/, "must be a project id"), z.int().min(1)).default({}),
  /** What a number without a percent sign means in a metric of the format percent: 0.1234 or 12.34. */
  percentAs: z.enum(["fraction", "percent"]).default("fraction"),
  /** The values of group columns if a query has no groups. The first one is also the one that is sent. */
  overallLabels: z
    .array(z.string().min(1))
    .min(1)
    .default([...overallLabels]),
  /**
   * Whether downloads are accepted that report neither their length nor their end. A truncated one cannot be detected.
   */
  unmarkedEnd: z.enum(["refuse", "accept"]).default("refuse"),
});

export type PlatformConfig = z.output<typeof platformConfigSchema>;
