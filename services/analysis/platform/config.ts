import { z } from "zod";
import { maxTimerMs } from "../../../base/async/clock.ts";
import { overallLabels } from "../text-form.ts";

// Timers of Node accept no longer delay.
const milliseconds = () => z.int().min(1).max(maxTimerMs);

const breakerSchema = z.strictObject({
  failures: z
    .int()
    .min(1)
    .default(5)
    .describe("The number of consecutive failed calls after which the circuit breaker opens."),
  openMs: milliseconds()
    .default(2_000)
    .describe(
      "How long the circuit breaker stays open the first time, in ms. The time doubles each time after that.",
    ),
  maxOpenMs: milliseconds().default(60_000).describe("Limit of this time, in ms."),
});

const forwardedPath = () =>
  z
    .string()
    .regex(
      /^(?:\*|(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*(?:\/\*)?)$/,
      'must be a path below /open/ such as "retention-analyze" or "funnel/*", or "*" for all',
    );

const tlsSchema = z.strictObject({
  ca: z
    .string()
    .min(1)
    .meta({ path: true, read: true })
    .optional()
    .meta({
      description:
        "File with the authorities that sign the platform's certificate, in PEM. Default: those of Node.",
      examples: ["tls/platform-ca.crt"],
    }),
});

/** Where the platform is, and how it is called. */
const connection = {
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'must be a URL such as "https://platform.example.com"' })
    .refine(
      (url) => !/[?#@]|\/open\/*$/.test(url),
      "must be without user, query and fragment, and without /open",
    )
    .meta({
      description: "The URL to which /open/event-analyze and the other paths are appended.",
      examples: ["https://platform.example.com"],
    }),
  token: z
    .string()
    .min(8)
    .meta({ secret: true })
    .meta({
      description:
        "The platform's query key. It has at least 8 characters, so that it can be found and masked wherever it occurs.",
      examples: [{ file: "platform-token.txt" }],
    }),
  timeoutMs: milliseconds()
    .default(90_000)
    .describe(
      "The time limit of a response, in ms; a download only has to begin in this time. Queries that allow a longer " +
        "time get it.",
    ),
  connectTimeoutMs: milliseconds().default(5_000).describe("The time limit of connecting, in ms."),
  idleTimeoutMs: milliseconds().default(30_000).describe("The longest silence within a response, in ms."),
  tls: tlsSchema.prefault({}).describe("The TLS settings of a platform at https:."),
  maxConnections: z.int().min(1).max(1_024).default(32).describe("Connections to the platform."),
  retries: z
    .int()
    .min(0)
    .max(10)
    .default(2)
    .describe(
      "How often a query is sent again if its connection fails before a byte of the response has arrived. 0: never.",
    ),
  maxAnswerBytes: z
    .int()
    .min(1_024)
    .default(67_108_864)
    .describe("The most bytes of a response that is not a download."),
  maxRowBytes: z
    .int()
    .min(1_024)
    .default(1_048_576)
    .describe("The most bytes of a row of a download, for callers that get rows."),
  breaker: breakerSchema
    .prefault({})
    .describe("The circuit breaker, which refuses queries at once while the platform fails."),
};

/** What is sent to the platform, and what its responses mean. */
const meaning = {
  paths: z
    .array(forwardedPath())
    .default([])
    .meta({
      description:
        "Additional paths below /open/ that are passed through. `a/*` includes everything below `a`, `*` everything.",
      examples: [["retention-analyze", "funnel/*"]],
    }),
  projects: z
    .record(z.string().regex(/^[1-9]\d{0,15}$/, "must be a project id"), z.int().min(1))
    .default({})
    .meta({
      description:
        "The platform's ids of projects, by their ids here. A project without an entry has the same id in both.",
      examples: [{ "1": 377 }],
    }),
  percentAs: z
    .enum(["fraction", "percent"])
    .default("fraction")
    .describe(
      "What a number without a percent sign means in a metric of the format percent: 0.1234 or 12.34.",
    ),
  overallLabels: z
    .array(z.string().min(1))
    .min(1)
    .default([...overallLabels])
    .describe(
      "The values of group columns if a query has no groups. The first one is also the one that is sent.",
    ),
  unmarkedEnd: z
    .enum(["refuse", "accept"])
    .default("refuse")
    .describe(
      "Whether downloads are accepted that report neither their length nor their end. A truncated one cannot be detected.",
    ),
};

/** `analysis.platform`: a deployment that processes the queries of projects instead of the embedded engine. */
export const platformConfigSchema = z.strictObject({ ...connection, ...meaning });

export type PlatformConfig = z.output<typeof platformConfigSchema>;
