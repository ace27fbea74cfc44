import { z } from "zod";
import { maxTimerMs } from "../../../base/async/clock.ts";
import { overallLabels } from "../text-form.ts";

// A timer in Node takes no more.
const milliseconds = () => z.int().min(1).max(maxTimerMs);

const breakerSchema = z.strictObject({
  /** It opens after this many calls in a row have failed. */
  failures: z.int().min(1).default(5),
  /** How long it stays open the first time; then twice as long each time. */
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

/** `analysis.platform`: a deployment that answers the queries of projects in the place of the embedded engine. */
export const platformConfigSchema = z.strictObject({
  /** `/open/event-analyze` and the like are put behind it. */
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'must be a URL such as "https://platform.example.com"' })
    .refine(
      (url) => !/[?#@]|\/open\/*$/.test(url),
      "must be without user, query and fragment, and without /open",
    ),
  /** The platform's query key. At least 8 characters, so that it can be found and masked wherever it turns up. */
  token: z.string().min(8).meta({ secret: true }),
  /** Time to an answer, in which a download need only have begun. Queries that say they may take longer may. */
  timeoutMs: milliseconds().default(90_000),
  connectTimeoutMs: milliseconds().default(5_000),
  /** Longest silence in the middle of an answer. */
  idleTimeoutMs: milliseconds().default(30_000),
  /** For a platform at `https:`. */
  tls: z
    .strictObject({
      /** Authorities that sign the platform's certificate, PEM; those of Node unless given. */
      ca: z.string().min(1).meta({ path: true }).optional(),
    })
    .prefault({}),
  maxConnections: z.int().min(1).max(1_024).default(32),
  /** How often a query is sent again after its connection failed before a byte of the answer came. */
  retries: z.int().min(0).max(10).default(2),
  /** Of an answer that is not a download. */
  maxAnswerBytes: z.int().min(1_024).default(67_108_864),
  /** Of one row of a download, for callers who get rows. */
  maxRowBytes: z.int().min(1_024).default(1_048_576),
  breaker: breakerSchema.prefault({}),
  /** Further paths below `/open/` that are passed through; `a/*` also takes everything below `a`. */
  paths: z.array(forwardedPath()).default([]),
  /** The platform's id of a project, by the id it has here; where there is none they are the same. */
  projects: z.record(z.string().regex(/^[1-9]\d{0,15}$/, "must be a project id"), z.int().min(1)).default({}),
  /** What a number without a percent sign means in a metric of the format percent: 0.1234 or 12.34. */
  percentAs: z.enum(["fraction", "percent"]).default("fraction"),
  /** What group columns hold where a query has no groups; the first is also what is sent. */
  overallLabels: z
    .array(z.string().min(1))
    .min(1)
    .default([...overallLabels]),
  /** Downloads that say neither their length nor where they end could be cut short without a trace. */
  unmarkedEnd: z.enum(["refuse", "accept"]).default("refuse"),
});

export type PlatformConfig = z.output<typeof platformConfigSchema>;
