import { z } from "zod";
import { knownZones } from "../../../base/time/known-zones.ts";
import { projectAnalysisShape } from "../../../services/analysis/project/config.ts";

const zone = () =>
  z.string().refine(isZone, { error: ({ input }) => `must be a time zone, ${knownZones(String(input))}` });

/** One entry of `projects`. */
export const projectSchema = z.strictObject({
  id: z
    .int()
    .min(1)
    .meta({ description: "Id of the project, by which queries and tokens name it.", examples: [1] }),
  name: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "Name of the project for people.", examples: ["game"] }),
  appids: z
    .array(z.string().min(1))
    .default([])
    .meta({
      description:
        "App ids whose events belong to the project. An app id belongs to one project, and is the " +
        "credential of SDKs.",
      examples: [["game-app"]],
    }),
  zone: zone()
    .default("+00:00")
    .describe(
      "Time zone of the project's days and of times without a zone: an offset or an IANA name such as Europe/Berlin.",
    ),
  keepDays: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .meta({
      description: "Days of events to keep, for this project. Default: events.keepDays.",
      examples: [400],
    }),
  engine: z
    .enum(["embedded", "platform"])
    .default("embedded")
    .describe(
      "What processes the queries of the project. embedded: this service, from the events stored here. " +
        "platform: the deployment in analysis.platform.",
    ),
  ...projectAnalysisShape,
});

function isZone(text: string): boolean {
  if (/^[+-](0\d|1[0-4]):[0-5]\d$/.test(text)) return true;
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return /^[A-Za-z]/.test(text);
  } catch {
    return false;
  }
}
