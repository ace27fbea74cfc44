import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { createYield, type YieldToEventLoop } from "../../../base/async/yield.ts";
import { freeOwnMemory } from "../../../base/memory/free.ts";
import { exactCountOf } from "../../../base/text/count.ts";
import {
  type DebugIngestRequest,
  type DebugIngestResponse,
  DebugIngestResponseSchema,
  type IngestRequest,
  type IngestResponse,
  IngestResponseSchema,
} from "../../../gen/engage/event/v1/ingest_pb.ts";
import { acceptRecords, appendLine, type CheckingOptions, senderOf } from "../accept-records.ts";
import { unknownAppid } from "../admit.ts";
import type { Fields } from "../body/form.ts";
import { readRequestData, unpack } from "../body/request-data.ts";
import { findSender } from "../body/sender.ts";
import type { Project, ProjectDirectory } from "../projects.ts";
import type { CheckedRecord, RefusedRecord } from "../record/record.ts";
import { createReportLimit, toDropped, toResult } from "../results.ts";
import { encodeSpoolLine } from "../spool-line.ts";
import { showRefused } from "../watch/refused.ts";
import { type IngestBody, readIngestBody, toRawRecords, validBytes } from "./body.ts";
import { BodyFault } from "./body-fault.ts";
import { appendRefused } from "./refused-records.ts";

export interface IngestOptions extends CheckingOptions {
  readonly directory: ProjectDirectory;
  /** Limit of an inflated body. */
  readonly maxInflatedBytes: number;
}

interface Ingested {
  readonly project: Project;
  readonly appid: string | undefined;
  readonly body: IngestBody;
  /** Parameters of a form body. */
  readonly fields: Fields | undefined;
  readonly yieldToEventLoop: YieldToEventLoop;
  /** Whether the bytes of the body have a buffer of their own. */
  readonly hasOwnBuffer: boolean;
}

type Read = Ingested | { readonly code: -1 | -2; readonly msg: string };

/** @throws ConnectError UNAVAILABLE */
export async function ingest(
  options: IngestOptions,
  request: IngestRequest,
  { requestHeader }: Pick<HandlerContext, "requestHeader">,
): Promise<IngestResponse> {
  const receivedMs = options.now();
  const compress = (requestHeader.get("compress") ?? request.compress).toLowerCase();
  const appid = requestHeader.get("appid") ?? request.appid;
  const isDebug = request.debug === 1 || requestHeader.get("debug") === "1";
  const read = await readBody(options, request, compress, appid);
  if ("code" in read) return create(IngestResponseSchema, read);
  if (isDebug) return mapBodyFault(() => ingestChecked(options, read, receivedMs));
  return ingestUnchecked(options, read, receivedMs);
}

/** Appends records without checking them, except that they are JSON; the loader checks them. */
async function ingestUnchecked(
  options: IngestOptions,
  { project, appid, body, hasOwnBuffer }: Ingested,
  receivedMs: number,
): Promise<IngestResponse> {
  const { bytes, starts, ends, faults } = body.list;
  const good = starts.length - faults.size;
  if (good > 0) {
    const sender = senderOf({ project, appid });
    const driftMs = options.driftMs?.();
    const line = encodeSpoolLine(project.id, receivedMs, validBytes(body), sender, driftMs);
    if (hasOwnBuffer && faults.size === 0) freeOwnMemory(bytes);
    await appendLine(options, line, project.id);
    freeOwnMemory(line);
    options.observer.accepted(project.id, "ingest", good);
  }
  const refused = Array.from(faults, ([at, refusal]) => ({
    refusal,
    line: bytes.toString("utf8", starts[at], ends[at]),
  }));
  appendRefused(options.deadLetters, project.id, refused, options.now);
  showRefused(options.watches, { project, appid, receivedMs }, refused);
  for (const { refusal } of refused) options.observer.refused(project.id, "ingest", refusal.reason);
  const notes = Array.from(faults, ([index, refusal]) => ({ index, verdict: refusal }));
  return toResponse(notes, starts.length, good === 0);
}

async function ingestChecked(
  options: IngestOptions,
  { project, appid, body, yieldToEventLoop }: Ingested,
  receivedMs: number,
): Promise<IngestResponse> {
  const records = await toRawRecords(body, yieldToEventLoop);
  const driftMs = options.driftMs?.() ?? 0;
  const source = "ingest_debug";
  const batch = { project, appid, source, records, receivedMs, driftMs, dryRun: false } as const;
  const checked = await acceptRecords(options, batch);
  const notes = checked.flatMap((verdict, index) => (isComplete(verdict) ? [] : [{ index, verdict }]));
  return toResponse(notes, checked.length, !checked.some(({ kind }) => kind !== "refused"));
}

interface Note {
  readonly index: number;
  readonly verdict: CheckedRecord;
}

/** Records listed in one response, so that small requests do not cause large responses. */
const maxNotes = 100;

/**
 * @param records number of records of the request
 * @param isLost whether no record was accepted
 */
function toResponse(notes: readonly Note[], records: number, isLost: boolean): IngestResponse {
  const first = notes.find(({ verdict }) => verdict.kind === "refused")?.verdict as RefusedRecord | undefined;
  const limit = createReportLimit();
  const lost = isLost && first !== undefined ? [`all records were refused, the first: ${first.message}`] : [];
  const further =
    notes.length > maxNotes
      ? [`${notes.length} of ${records} records were refused or lost properties, ${maxNotes} are listed`]
      : [];
  return create(IngestResponseSchema, {
    code: lost.length > 0 ? -1 : 0,
    msg: [...lost, ...further].join("; "),
    records: notes.slice(0, maxNotes).map(({ index, verdict }) => ({
      index,
      result: toResult(verdict, limit),
    })),
  });
}

/** @throws ConnectError UNAVAILABLE */
export async function debugIngest(
  options: IngestOptions,
  request: DebugIngestRequest,
  { requestHeader }: Pick<HandlerContext, "requestHeader">,
): Promise<DebugIngestResponse> {
  const receivedMs = options.now();
  const compress = (requestHeader.get("compress") ?? "").toLowerCase();
  const read = await readBody(options, request, compress, requestHeader.get("appid") ?? request.appid);
  if ("code" in read) return refuseDebug(read.msg);
  const { project, appid, fields, body, yieldToEventLoop } = read;
  const dryRun = request.dryRun === 1 || fields?.get("dryRun")?.toString() === "1";
  try {
    const records = await toRawRecords(body, yieldToEventLoop);
    const driftMs = options.driftMs?.() ?? 0;
    const batch = { project, appid, source: "data_debug", records, receivedMs, driftMs, dryRun } as const;
    return toDebugResponse(await acceptRecords(options, batch));
  } catch (error) {
    if (!(error instanceof BodyFault)) throw error;
    return refuseDebug(error.message);
  }
}

function toDebugResponse(checked: readonly CheckedRecord[]): DebugIngestResponse {
  const limit = createReportLimit();
  const reasons = checked.flatMap((verdict) => (verdict.kind === "refused" ? [verdict.message] : []));
  const errorReasons = reasons.slice(0, maxNotes);
  if (reasons.length > maxNotes) {
    errorReasons.push(
      `${reasons.length} of ${exactCountOf(checked.length, "record")} were refused, ${maxNotes} are listed`,
    );
  }
  const errorProperties = checked.flatMap((verdict) =>
    verdict.kind === "refused" ? [] : limit(verdict.dropped).map(toDropped),
  );
  const errorLevel = errorReasons.length > 0 ? 2 : errorProperties.length > 0 ? 1 : 0;
  return create(DebugIngestResponseSchema, { errorLevel, errorProperties, errorReasons });
}

function refuseDebug(reason: string): DebugIngestResponse {
  return create(DebugIngestResponseSchema, { errorLevel: 2, errorReasons: [reason] });
}

async function mapBodyFault(ingested: () => Promise<IngestResponse>): Promise<IngestResponse> {
  try {
    return await ingested();
  } catch (error) {
    if (!(error instanceof BodyFault)) throw error;
    return create(IngestResponseSchema, { code: -1, msg: error.message });
  }
}

/** Reads the body and finds its project. A body without a known app id is not inflated, or only a small part of it. */
async function readBody(
  { directory, observer, maxInflatedBytes }: IngestOptions,
  { body, data }: Pick<IngestRequest, "body" | "data">,
  compress: string,
  given: string,
): Promise<Read> {
  const named = directory.byAppid(given);
  const unknown = (detail = ""): Read => {
    observer.rejected("appid");
    return { code: -2, msg: `${unknownAppid}${detail}` };
  };
  if (given !== "" && named === undefined) return unknown();
  try {
    const { data: sent = noBytes, contentType = "" } = body ?? {};
    const request = readRequestData({ bytes: sent, contentType, data, compress });
    const sender = named ?? (await findSender(request, directory, maxInflatedBytes));
    if (sender === "unknown") return unknown();
    if ("isUnknownWithin" in sender) return unknown(adviceFor(sender.isUnknownWithin));
    const yieldToEventLoop = createYield();
    const { bytes, hasOwnBuffer } = await unpack(request, maxInflatedBytes);
    const read = await readIngestBody(bytes, yieldToEventLoop, sender.recordShapes);
    const appid = given !== "" ? given : (request.fields?.get("appid")?.toString() ?? read.appid ?? "");
    const project = directory.byAppid(appid);
    return project === undefined
      ? unknown()
      : { project, appid, body: read, fields: request.fields, yieldToEventLoop, hasOwnBuffer };
  } catch (error) {
    if (!(error instanceof BodyFault)) throw error;
    observer.rejected("format");
    return { code: -1, msg: error.message };
  }
}

const noBytes = new Uint8Array();

function adviceFor(bytes: number): string {
  return `: a compressed body of more than ${bytes} bytes needs it as header or query parameter`;
}

function isComplete(verdict: CheckedRecord): boolean {
  return verdict.kind !== "refused" && verdict.dropped.length === 0;
}
