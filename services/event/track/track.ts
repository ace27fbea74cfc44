import { isUtf8 } from "node:buffer";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { createYield, mapYielding, type YieldToEventLoop } from "../../../base/async/yield.ts";
import { unscannedBytes } from "../../../base/json/bounds.ts";
import { parseWithBigInts } from "../../../base/json/exact-numbers.ts";
import { withoutByteOrderMark } from "../../../base/text/byte-order-mark.ts";
import type { Record as TypedRecord } from "../../../gen/engage/event/v1/record_pb.ts";
import {
  type TrackRequest,
  type TrackResponse,
  TrackResponseSchema,
} from "../../../gen/engage/event/v1/track_pb.ts";
import { acceptRecords, type CheckingOptions, type RawRecord } from "../accept-records.ts";
import { refuseLarge } from "../body/record-bounds.ts";
import { stringifyWithNonFinite } from "../exact-json.ts";
import type { RecordSource } from "../observer.ts";
import { type Project, type ProjectDirectory, unknownProject } from "../projects.ts";
import { refuse, show } from "../record/record.ts";
import { createReportLimit, toResult } from "../results.ts";
import { refuseTyped, toJsonRecord } from "./typed-record.ts";

const maxRecords = 10_000;
const lineFeed = 10;

/** Accepts one batch. @throws ConnectError INVALID_ARGUMENT, NOT_FOUND or UNAVAILABLE */
export async function trackBatch(
  options: CheckingOptions & { readonly directory: ProjectDirectory },
  request: TrackRequest,
  source: RecordSource,
): Promise<TrackResponse> {
  const project = projectOf(options.directory, request);
  const receivedMs = options.now();
  const records = await readRecords(request, receivedMs, createYield());
  const { dryRun } = request;
  const appid = request.project.case === "appid" ? request.project.value : undefined;
  const driftMs = options.driftMs?.() ?? 0;
  const batch = { project, appid, source, records, receivedMs, driftMs, dryRun };
  const checked = await acceptRecords(options, batch);
  const refused = checked.filter(({ kind }) => kind === "refused").length;
  const limit = createReportLimit();
  const results = checked.map((one) => toResult(one, limit));
  return create(TrackResponseSchema, { results, accepted: checked.length - refused, refused });
}

function projectOf(directory: ProjectDirectory, { project }: TrackRequest): Project {
  if (project.case === undefined) {
    throw new ConnectError("project is missing, give project_id or appid", Code.InvalidArgument);
  }
  const found = project.case === "appid" ? directory.byAppid(project.value) : directory.byId(project.value);
  if (found !== undefined) return found;
  throw unknownProject(
    project.case === "appid" ? `appid ${show(project.value)}` : `project_id ${project.value}`,
  );
}

async function readRecords(
  { records, jsonLines }: TrackRequest,
  receivedMs: number,
  yieldToEventLoop: YieldToEventLoop,
): Promise<readonly RawRecord[]> {
  if (records.length > 0 && jsonLines.length > 0) {
    throw new ConnectError("records and json_lines are both given, one is valid", Code.InvalidArgument);
  }
  if (records.length > maxRecords) throw tooMany("records");
  if (jsonLines.length > 0) return readLines(jsonLines, yieldToEventLoop);
  return mapYielding(records, (record) => readTyped(record, receivedMs), yieldToEventLoop);
}

function readTyped(record: TypedRecord, receivedMs: number): RawRecord {
  const json = toJsonRecord(record, receivedMs);
  const text = stringifyWithNonFinite(json);
  const refusal =
    refuseTyped(record) ?? (text.length > unscannedBytes ? refuseLarge(Buffer.from(text)) : undefined);
  return refusal === undefined ? { json, text } : { refusal, text };
}

async function readLines(
  given: Uint8Array,
  yieldToEventLoop: YieldToEventLoop,
): Promise<readonly RawRecord[]> {
  const bytes = withoutByteOrderMark(given);
  const lines: RawRecord[] = [];
  for (let start = 0; start < bytes.length; ) {
    const at = bytes.indexOf(lineFeed, start);
    const end = at === -1 ? bytes.length : at;
    const line = bytes.subarray(start, end);
    start = end + 1;
    if (isBlank(line)) continue;
    if (lines.length === maxRecords) throw tooMany("json_lines");
    lines.push(readLine(line));
    const wait = yieldToEventLoop();
    if (wait !== undefined) await wait;
  }
  return lines;
}

function isBlank(line: Uint8Array): boolean {
  return line.length === 0 || (line.length === 1 && line[0] === 13);
}

function readLine(line: Uint8Array): RawRecord {
  if (!isUtf8(line)) return { refusal: refuse("not_json", "", "record is not UTF-8"), text: line };
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString();
  const large = refuseLarge(line);
  if (large !== undefined) return { refusal: large, text };
  try {
    return { json: parseWithBigInts(text), text };
  } catch {
    return { refusal: refuse("not_json", "", "record is not JSON"), text };
  }
}

function tooMany(field: string): ConnectError {
  return new ConnectError(`${field} has more than ${maxRecords} records`, Code.InvalidArgument);
}
