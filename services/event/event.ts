import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { Trace } from "../../base/trace/trace.ts";
import type { EventCollector } from "../../gen/engage/event/v1/event_collector_pb.ts";
import {
  CheckAppidResponseSchema,
  GetConfigResponseSchema,
  HealthCheckResponseSchema,
} from "../../gen/engage/event/v1/ingest_pb.ts";
import type { AcceptOptions, AppendLine } from "./accept-records.ts";
import { unknownAppid } from "./admit.ts";
import { debugIngest, ingest } from "./ingest/ingest.ts";
import type { LoadTraces } from "./load/load-traces.ts";
import { createPendingChecks } from "./pending.ts";
import { type CollectorProject, createProjectDirectory } from "./projects.ts";
import type { NameLimits } from "./record/name-book.ts";
import { replayRecords } from "./replay.ts";
import { trackStream } from "./track/stream.ts";
import { trackBatch } from "./track/track.ts";

export interface EventCollectorOptions extends AcceptOptions {
  readonly projects: readonly CollectorProject[];
  /** Limit of an inflated body of an SDK. Default 16 MiB. */
  readonly maxInflatedBytes?: number;
  /** Properties of events, and of users, in each project. Default: no limit. */
  readonly maxProperties?: number;
  /** Limits of new names in each project. Default: none. */
  readonly names?: NameLimits;
  /** See PendingOptions. */
  readonly maxPendingBytes?: number;
  /** Continues the traces of calls until their records are loaded. Default: they end with the acknowledgement. */
  readonly tracing?: CollectorTracing | undefined;
}

export interface CollectorTracing extends Pick<LoadTraces, "appended"> {
  /** Returns the trace of a call. */
  readonly traceOf: (context: Pick<HandlerContext, "values">) => Trace | undefined;
}

const defaultInflatedBytes = 16 * 2 ** 20;
/** Settings that client SDKs get, which are also their defaults. */
const syncIntervalSeconds = 15;
const syncBatchSize = 20;

/**
 * Creates the service EventCollector. Records that it reports as accepted are on disk. REST needs `eventCodecs`.
 *
 * The way of a record, by step and thread:
 * 1. `admit.ts` finds the project by app id before the body is read (event loop).
 * 2. `ingest/` and `track/` read a request (event loop; `body/` finds the bytes of its records, gzip uses libuv's
 *    threads). Records of `/sync_server` are only scanned as JSON. Callers that get a verdict for each record (Track,
 *    TrackStream, debug calls) go through `take.ts`, which checks records on the way in (`verdicts.ts`, `pending.ts`).
 * 3. `spool-line.ts` encodes a request as one line of the spool; the thread of the spool appends and syncs it. The
 *    request is acknowledged.
 * 4. `load/load.ts` (event loop) reads the spool and hands chunks to the prepare thread (`load/prepare.ts`), which
 *    parses and checks every record, in the order of the spool, drops repeats, assigns user ids and writes rows.
 *    This check alone decides: `record/check-record.ts` runs here once for each record. Up to two batches are
 *    prepared while one is loaded.
 * 5. The store loads the rows in one transaction (threads of its engine), and the spool is released.
 */
export function createEventCollector(given: EventCollectorOptions): ServiceImpl<typeof EventCollector> {
  return createCollection(given).collector;
}

/** The service and what else offers records to projects. */
export interface Collection {
  readonly collector: ServiceImpl<typeof EventCollector>;
  /** See `replayRecords`. */
  readonly replay: (letter: Parameters<typeof replayRecords>[1]) => Promise<string | undefined>;
}

/** Creates the service EventCollector and the replay of refused records. */
export function createCollection(given: EventCollectorOptions): Collection {
  const { maxInflatedBytes = defaultInflatedBytes, maxProperties = Number.POSITIVE_INFINITY } = given;
  const directory = createProjectDirectory(given.projects, maxProperties, given.names);
  const options = { ...given, directory, maxInflatedBytes, checks: createPendingChecks(given) };
  const collector: ServiceImpl<typeof EventCollector> = {
    track: (request, context) => trackBatch(traced(options, context), request, "track"),
    trackStream: (requests, context) => trackStream(traced(options, context), requests),
    ingest: (request, context) => ingest(traced(options, context), request, context),
    debugIngest: (request, context) => debugIngest(traced(options, context), request, context),
    getConfig({ appid }, { requestHeader }) {
      const isKnown = directory.byAppid(requestHeader.get("appid") ?? appid) !== undefined;
      if (!isKnown) return create(GetConfigResponseSchema, { code: -2, msg: unknownAppid });
      return create(GetConfigResponseSchema, { syncInterval: syncIntervalSeconds, syncBatchSize });
    },
    checkAppid({ appid }, { requestHeader }) {
      const isKnown = directory.byAppid(requestHeader.get("appid") ?? appid) !== undefined;
      return create(CheckAppidResponseSchema, isKnown ? {} : { code: -2, msg: unknownAppid });
    },
    healthCheck: () => create(HealthCheckResponseSchema),
  };
  return { collector, replay: (letter) => replayRecords(options, letter) };
}

/** Returns options whose appended lines belong to the trace of a call, where it is recorded. */
function traced<T extends Pick<EventCollectorOptions, "append" | "tracing">>(
  options: T,
  context: Pick<HandlerContext, "values">,
): T {
  const { append, tracing } = options;
  const trace = tracing?.traceOf(context);
  if (tracing === undefined || trace?.startSpan === undefined) return options;
  const appendTraced: AppendLine = async (line, projectId) => {
    await append(line, projectId);
    void tracing.appended(trace, projectId);
  };
  return { ...options, append: appendTraced };
}
