import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { EventCollector } from "../../gen/engage/event/v1/event_collector_pb.ts";
import {
  CheckAppidResponseSchema,
  GetConfigResponseSchema,
  HealthCheckResponseSchema,
} from "../../gen/engage/event/v1/ingest_pb.ts";
import { unknownAppid } from "./admit.ts";
import { debugIngest, ingest } from "./ingest/ingest.ts";
import { createPendingChecks } from "./pending.ts";
import { type CollectorProject, createProjectDirectory } from "./projects.ts";
import type { NameLimits } from "./record/name-book.ts";
import type { TakeOptions } from "./take.ts";
import { trackStream } from "./track/stream.ts";
import { trackBatch } from "./track/track.ts";

export interface EventCollectorOptions extends TakeOptions {
  readonly projects: readonly CollectorProject[];
  /** Of a body of an SDK when it is inflated. Default 16 MiB. */
  readonly maxInflatedBytes?: number;
  /** Of events, and as many of users, in each project. Default: no limit. */
  readonly maxProperties?: number;
  /** Of each project. Default: any name may be new. */
  readonly names?: NameLimits;
  /** See PendingOptions. */
  readonly maxPendingBytes?: number;
}

const defaultInflatedBytes = 16 * 2 ** 20;
/** What client SDKs are told, and do without being told. */
const syncIntervalSeconds = 15;
const syncBatchSize = 20;

/**
 * The service EventCollector. What it answers to be taken is on disk. Its
 * answers over REST need `eventCodecs`.
 */
export function createEventCollector(given: EventCollectorOptions): ServiceImpl<typeof EventCollector> {
  const { maxInflatedBytes = defaultInflatedBytes, maxProperties = Number.POSITIVE_INFINITY } = given;
  const directory = createProjectDirectory(given.projects, maxProperties, given.names);
  const options = { ...given, directory, maxInflatedBytes, checks: createPendingChecks(given) };
  return {
    track: (request) => trackBatch(options, request, "track"),
    trackStream: (requests) => trackStream(options, requests),
    ingest: (request, context) => ingest(options, request, context),
    debugIngest: (request, context) => debugIngest(options, request, context),
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
}
