import type { DescMessage } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import type { JsonBounds } from "../../../base/json/bounds.ts";
import { JsonReading } from "../../../base/rpc/json-reading.ts";
import type { DecodedBody } from "../../../base/rpc/rest-codec.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import {
  EventDownloadQuerySchema,
  EventQuerySchema,
  EventUserDownloadQuerySchema,
  EventUserQuerySchema,
} from "../../../gen/engage/analysis/v1/query_pb.ts";
import type { GroupValue } from "../../../gen/engage/analysis/v1/result_pb.ts";
import { AnalysisRefusal, returnCodes } from "../refusal/refusal.ts";
import { overallLabels } from "../text-form.ts";
import { decodeMessage } from "./decode-message.ts";

/** A body that the gateway has received. */
export interface QueryBody {
  readonly raw: Buffer;
  /** Throws a ConnectError when the body is not JSON. */
  readonly json: () => unknown;
}

/** What is attached to a query that came over REST. */
export interface QueryOrigin {
  readonly body: Uint8Array;
  /** What is wrong with the body; reported only to callers with a valid token. */
  readonly refusal: AnalysisRefusal | undefined;
}

/** A query as it is read from a body over REST. */
export interface DecodedQuery extends DecodedBody {
  readonly attachment: QueryOrigin;
}

const always = ["projectId", "eventView", "events"];

/** Members that every body must have. */
const requiredMembers: ReadonlyMap<DescMessage, readonly string[]> = new Map<DescMessage, readonly string[]>([
  [EventQuerySchema, always],
  [EventDownloadQuerySchema, always],
  [EventUserQuerySchema, [...always, "sliceGroupVal", "eventIndex"]],
  [EventUserDownloadQuerySchema, [...always, "sliceGroupVal", "eventIndex", "selectedColumns"]],
]);

/**
 * Reads a query from the platform's JSON. Never throws for an invalid body:
 * faults are attached to the query, since the token is checked first.
 */
export function decodeQueryBody(desc: DescMessage, { raw, json }: QueryBody): DecodedQuery {
  const reading = new JsonReading();
  const value = parse(json, reading);
  const query = decodeMessage(desc, value ?? {}, reading);
  if (value !== undefined) requireMembers(desc, value, reading);
  query["ignoredFields"] = reading.ignored();
  if (isOverall(query)) query["sliceGroupVal"] = [];
  const violations = reading.faults();
  const refusal = violations.length === 0 ? undefined : refuseQuery(violations);
  return { message: query, attachment: { body: raw, refusal } };
}

/** Returns one refusal for all faults of a query. */
export function refuseQuery(violations: readonly Violation[]): AnalysisRefusal {
  const message = violations.map(({ field, description }) => `${field}: ${description}`).join("; ");
  return new AnalysisRefusal(returnCodes.parameter, message, { violations });
}

function parse(json: () => unknown, reading: JsonReading): unknown {
  try {
    return json();
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    return reading.refuse(error.rawMessage.replace(/^body: /, ""));
  }
}

function requireMembers(desc: DescMessage, value: unknown, reading: JsonReading): void {
  const body = value as Readonly<Record<string, unknown>> | null;
  if (typeof body !== "object" || Array.isArray(body)) return;
  for (const name of requiredMembers.get(desc) ?? []) {
    const isMissing = !Object.hasOwn(body ?? {}, name) || body?.[name] === null;
    if (isMissing) reading.refuse("is required", `.${name}`);
  }
}

function isOverall({ eventView, sliceGroupVal }: Readonly<Record<string, unknown>>): boolean {
  const [first, ...others] = (sliceGroupVal ?? []) as readonly GroupValue[];
  if (others.length > 0 || first?.value.case !== "label") return false;
  const groupBy = (eventView as { readonly groupBy?: readonly unknown[] } | undefined)?.groupBy ?? [];
  return groupBy.length === 0 && overallLabels.includes(first.value.value);
}

/**
 * Limits of the body of a query. Queries have some kilobytes; the longest have conditions with thousands of literals.
 * All conditions together have at most 50,000 (`queryLimits`), so a body of many more values is refused before it is
 * parsed, which would block the event loop for tenths of a second.
 */
export const queryBounds: JsonBounds = {
  depth: 256,
  members: 10_000,
  elements: 100_000,
  keys: 100_000,
  keyBytes: 1_024,
  values: 150_000,
  longNumbers: 100_000,
};
