import { z } from "zod";
import { count, section } from "./values.ts";

const pushSchema = z.strictObject({
  allow: z
    .boolean()
    .default(false)
    .describe("Whether agents may send pushes that they have previewed. Their keys must allow it too."),
  maxPerDay: count()
    .max(1_000)
    .default(10)
    .describe("Pushes that agents may send in a day (UTC), all together."),
  maxUsers: count()
    .default(10_000)
    .describe("The largest audience of a push that agents may send, in users who can receive it."),
});

/** The section `mcp`. */
export const mcpSchema = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe("Whether the tools of agents are served, at /mcp and as the service AgentTools."),
  push: section(pushSchema).describe("Pushes that agents send."),
});
