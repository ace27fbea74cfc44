import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  type DebugIngestRequest,
  type DebugIngestResponse,
  DebugIngestResponseSchema,
  type IngestRequest,
  type IngestResponse,
  IngestResponseSchema,
} from "../../gen/engage/event/v1/ingest_pb.ts";
import type { HttpBody } from "../../gen/google/api/httpbody_pb.ts";
import { BodyFault } from "./body-fault.ts";
import { type IngestBody, readIngestBody, writeJson } from "./ingest-body.ts";
import type { Project, ProjectDirectory } from "./projects.ts";
import type { CheckedRecord } from "./record/record.ts";
import { toDropped, toResult } from "./results.ts";
import { encodeSpoolLine } from "./spool-line.ts";
import { type CheckingOptions, keepLine, type RawRecord, takeChecked } from "./take.ts";

export interface IngestOptions extends CheckingOptions {
  readonly directory: ProjectDirectory;
  /** Of a body when it is inflated. */
  readonly maxInflatedBytes: number;
}

/** What is wrong with the sender; code −2. */
export const unknownAppid = "unknown appid";

interface Ingested extends IngestBody {
  readonly project: Project;
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
  const read = await readBody(options, request.body, compress, appid);
  if ("code" in read) return create(IngestResponseSchema, read);
  const { project, bytes, count } = read;
  if (isDebug) return ingestChecked(options, read, receivedMs);
  if (count === 0) return create(IngestResponseSchema);
  await keepLine(options, encodeSpoolLine(project.id, receivedMs, bytes));
  options.observer.taken(project.id, "ingest", count);
  return create(IngestResponseSchema);
}

async function ingestChecked(
  options: IngestOptions,
  { project, records: read }: Ingested,
  receivedMs: number,
): Promise<IngestResponse> {
  const records = toRecords(read());
  if (typeof records === "string") return create(IngestResponseSchema, { code: -1, msg: records });
  const batch = { project, source: "ingest_debug", records, receivedMs, dryRun: false } as const;
  const checked = await takeChecked(options, batch);
  const notes = checked.flatMap((verdict, index) =>
    isFlawless(verdict) ? [] : [{ index, result: toResult(verdict) }],
  );
  const refused = checked.filter((verdict) => verdict.kind === "refused");
  const isLost = refused.length > 0 && refused.length === checked.length;
  return create(IngestResponseSchema, {
    ...(isLost && { code: -1, msg: `all records were refused, the first: ${refused[0]!.message}` }),
    records: notes,
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
  const read = await readBody(options, request.body, compress, requestHeader.get("appid") ?? request.appid);
  if ("code" in read) return refuseDebug(read.msg);
  const { project, parameters } = read;
  const records = toRecords(read.records());
  if (typeof records === "string") return refuseDebug(records);
  const dryRun = parameters?.get("dryRun") === "1";
  const checked = await takeChecked(options, { project, source: "data_debug", records, receivedMs, dryRun });
  const errorReasons = checked.flatMap((verdict) => (verdict.kind === "refused" ? [verdict.message] : []));
  const errorProperties = checked.flatMap((verdict) =>
    verdict.kind === "refused" ? [] : verdict.dropped.map(toDropped),
  );
  const errorLevel = errorReasons.length > 0 ? 2 : errorProperties.length > 0 ? 1 : 0;
  const response: MessageInitShape<typeof DebugIngestResponseSchema> = {
    errorLevel,
    errorProperties,
    errorReasons,
  };
  return create(DebugIngestResponseSchema, response);
}

function refuseDebug(reason: string): DebugIngestResponse {
  return create(DebugIngestResponseSchema, { errorLevel: 2, errorReasons: [reason] });
}

/** What the body holds and whose it is. A body of nobody known is not even inflated. */
async function readBody(
  { directory, observer, maxInflatedBytes }: IngestOptions,
  body: HttpBody | undefined,
  compress: string,
  appid: string,
): Promise<Read> {
  const named = directory.byAppid(appid);
  const nobody = (): Read => {
    observer.rejected("appid");
    return { code: -2, msg: unknownAppid };
  };
  if (appid !== "" && named === undefined) return nobody();
  try {
    const read = await readIngestBody({
      ...{ bytes: body?.data ?? new Uint8Array(), contentType: body?.contentType ?? "" },
      ...{ compress, maxBytes: maxInflatedBytes },
    });
    const project = named ?? directory.byAppid(read.appid ?? "");
    return project === undefined ? nobody() : { ...read, project };
  } catch (error) {
    if (!(error instanceof BodyFault)) throw error;
    observer.rejected("format");
    return { code: -1, msg: error.message };
  }
}

function toRecords(list: readonly unknown[]): readonly RawRecord[] | string {
  try {
    return list.map((record) => ({ json: record, text: writeJson(record) }));
  } catch (error) {
    if (!(error instanceof BodyFault)) throw error;
    return error.message;
  }
}

function isFlawless(verdict: CheckedRecord): boolean {
  return verdict.kind !== "refused" && verdict.dropped.length === 0;
}
