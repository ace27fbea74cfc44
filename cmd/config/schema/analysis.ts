import { z } from "zod";
import { platformConfigSchema } from "../../../services/analysis/platform/config.ts";
import { digest, name } from "./values.ts";

const rateLimitSchema = z.strictObject({
  perSecond: z
    .number()
    .positive()
    .max(100_000)
    .meta({ description: "Sustained rate, in queries per second.", examples: [5] }),
  burst: z
    .int()
    .min(1)
    .max(1_000_000)
    .meta({
      description: "The number of queries that may come at once after a time without any.",
      examples: [20],
    }),
});

const tokenSchema = z
  .strictObject({
    name: name().meta({
      description: "Name of the token in logs and messages. Each token has another name.",
      examples: ["dashboard"],
    }),
    token: z
      .string()
      .min(1)
      .meta({ secret: true })
      .optional()
      .meta({
        description: "The token itself. A token has this or sha256.",
        examples: [{ file: "dashboard-token.txt" }],
      }),
    sha256: digest("token")
      .optional()
      .meta({
        description: "SHA-256 of the token as 64 hexadecimal digits, so that the file has no secret.",
        examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
      }),
    projects: z
      .union([z.literal("*"), z.array(z.int()).min(1)])
      .meta({ description: 'Ids of projects that it may query, or "*" for all.', examples: [[1]] }),
    rateLimit: rateLimitSchema.optional().describe("Replaces analysis.rateLimit for this token."),
  })
  .refine(
    ({ token, sha256 }) => (token === undefined) !== (sha256 === undefined),
    "needs either token or sha256",
  );

/** The section `analysis`. */
export const analysisSchema = z.strictObject({
  tokens: z
    .array(tokenSchema)
    .default([])
    .describe(
      "Tokens of callers that may query. The tokens that `engage token create` makes are stored in the data folder " +
        "or the shared database.",
    ),
  rateLimit: rateLimitSchema.optional().describe("Rate limit of each token. Default: no limit."),
  cacheMaxBytes: z
    .int()
    .min(0)
    .default(67_108_864)
    .describe(
      "Bytes of the cache of results, which are returned again while their events do not change. 0: no cache.",
    ),
  readerStallMs: z
    .int()
    .min(1_000)
    .max(3_600_000)
    .default(60_000)
    .describe(
      "Time after which a download ends if its reader takes nothing, in ms, since others may wait for its slot.",
    ),
  percentAs: z
    .enum(["percent", "fraction"])
    .default("percent")
    .describe("How REST and CSV write 0.1234 in a metric of the format percent: 12.34% or 0.1234."),
  platform: platformConfigSchema
    .optional()
    .describe('The deployment that processes the queries of projects whose engine is "platform".'),
});
