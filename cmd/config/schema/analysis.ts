import { z } from "zod";
import { platformConfigSchema } from "../../../services/analysis/platform/config.ts";

const rateLimitSchema = z.strictObject({
  /** Sustained rate, in queries per second. */
  perSecond: z.number().positive().max(100_000),
  /** The number of queries that may come at once after a time without any. */
  burst: z.int().min(1).max(1_000_000),
});

const tokenSchema = z
  .strictObject({
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
        "must be 1 to 64 letters, digits, dots, dashes or underscores",
      ),
    token: z.string().min(1).meta({ secret: true }).optional(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, "must be the SHA-256 of the token as 64 hexadecimal digits")
      .optional(),
    /** Ids of projects, or "*" for all. */
    projects: z.union([z.literal("*"), z.array(z.int()).min(1)]),
    /** Replaces analysis.rateLimit for this token. */
    rateLimit: rateLimitSchema.optional(),
  })
  .refine(
    ({ token, sha256 }) => (token === undefined) !== (sha256 === undefined),
    "needs either token or sha256",
  );

/** The section `analysis`. */
export const analysisSchema = z.strictObject({
  /** Tokens of callers that may query. The tokens that `engage token create` makes are stored in the data folder. */
  tokens: z.array(tokenSchema).default([]),
  /** Rate limit of each token. Default: no limit. */
  rateLimit: rateLimitSchema.optional(),
  /** Size of the cache of results, which are returned again while their events do not change; 0 disables it. */
  cacheMaxBytes: z.int().min(0).default(67_108_864),
  /** Time after which a download ends if its reader takes nothing, since others may wait for its slot. */
  readerStallMs: z.int().min(1_000).max(3_600_000).default(60_000),
  /** How REST and CSV write 0.1234 in a metric of the format percent: 12.34% or 0.1234. */
  percentAs: z.enum(["percent", "fraction"]).default("percent"),
  /** The deployment that processes the queries of projects whose engine is "platform". */
  platform: platformConfigSchema.optional(),
});
