import { create } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type AnswerInfo,
  AnswerInfoSchema,
  type TimeBucket,
  TimeBucketSchema,
} from "../../../../gen/engage/analysis/v1/result_pb.ts";

export type Warn = (text: string) => void;

/** The most warnings that are passed on; further ones are only counted. */
const maxWarnings = 20;

/** Returns the information of the platform about its result. */
export function createInfo(
  zoneOffset: number | undefined,
  members: Readonly<Record<string, unknown>>,
  truncated: boolean,
  warnings: readonly string[],
): AnswerInfo {
  const messages = [...warnings.slice(0, maxWarnings), ...warningsOf(members["warnings"])];
  if (warnings.length > maxWarnings) messages.push(`and ${warnings.length - maxWarnings} more`);
  return create(AnswerInfoSchema, {
    zone: zoneOffset === undefined ? undefined : { zone: { case: "offsetHours", value: zoneOffset } },
    cached: members["cached"] === true,
    approximate: members["approximate"] === true,
    truncated,
    warnings: messages.map((message) => ({ message })),
  });
}

function warningsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string").slice(0, maxWarnings) : [];
}

export function bucketsOf(labels: readonly string[]): TimeBucket[] {
  return labels.map((label) => create(TimeBucketSchema, { label }));
}

/** Reads a local time without a zone. It is an instant only if the query has set the zone. */
export function generateTime(value: unknown, zoneOffset: number | undefined): Timestamp | undefined {
  if (typeof value !== "string" || zoneOffset === undefined) return undefined;
  if (!/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(value)) return undefined;
  const localMs = Date.parse(`${value.replace(" ", "T")}Z`);
  return Number.isNaN(localMs) ? undefined : timestampFromMs(localMs - zoneOffset * 3_600_000);
}
