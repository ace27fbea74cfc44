import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../../base/async/clock.ts";
import { nextOrQuiet } from "../../../base/async/watch-ring.ts";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import { createErrorMapping } from "../../../base/rpc/map-errors.ts";
import {
  RecordVerdict,
  type RecordWatcher,
  type WatchedRecordSchema,
  type WatchRecordsRequest,
  WatchRecordsResponseSchema,
} from "../../../gen/engage/event/v1/record_watcher_pb.ts";
import { unknownProject } from "../projects.ts";
import { refusalReasonOf, toDropped } from "../results.ts";
import type { WatchFilter } from "./filter.ts";
import type { SeenRecord, Verdict } from "./seen-record.ts";
import type { RecordWatches } from "./watch.ts";

export interface RecordWatcherOptions {
  readonly watches: RecordWatches;
  readonly projects: readonly { readonly id: number }[];
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
  readonly clock: Pick<Clock, "after">;
}

const maxEventNames = 20;

/** The RecordWatcher service: each call has a cursor of its own in the records that the process keeps. */
export function createRecordWatcher(options: RecordWatcherOptions): ServiceImpl<typeof RecordWatcher> {
  const ids = new Set(options.projects.map(({ id }) => BigInt(id)));
  return {
    async *watchRecords(request, { signal }) {
      const filter = readFilter(request);
      if (!ids.has(request.projectId)) throw unknownProject(`project_id ${request.projectId}`);
      using watch = options.watches.open(filter) ?? refuseWatch();
      yield create(WatchRecordsResponseSchema);
      const ended = AbortSignal.any([signal, options.stopping]);
      for (;;) {
        const seen = await nextOrQuiet(watch, ended, options.clock);
        signal.throwIfAborted();
        if (options.stopping.aborted)
          throw new ConnectError("the server is stopping, call again", Code.Unavailable);
        yield create(WatchRecordsResponseSchema, {
          records: seen.items.map(toMessage),
          skipped: BigInt(seen.skipped),
        });
      }
    },
  };
}

function refuseWatch(): never {
  throw new ConnectError("too many watches are open on this server", Code.ResourceExhausted);
}

const { toConnectError } = createErrorMapping(() => undefined);

/** @throws ConnectError INVALID_ARGUMENT */
function readFilter(request: WatchRecordsRequest): WatchFilter {
  try {
    return filterOf(request);
  } catch (error) {
    throw toConnectError(error);
  }
}

function filterOf({ projectId, eventNames, appid, verdicts }: WatchRecordsRequest): WatchFilter {
  if (eventNames.length > maxEventNames)
    refuseField("event_names", `has ${eventNames.length} names, valid are at most ${maxEventNames}`);
  return {
    projectId: Number(projectId),
    eventNames: eventNames.length === 0 ? undefined : eventNames,
    appid: appid === "" ? undefined : appid,
    verdicts: verdicts.length === 0 ? undefined : verdicts.map(verdictOf),
  };
}

const verdictValues: Readonly<Record<Verdict, RecordVerdict>> = {
  accepted: RecordVerdict.ACCEPTED,
  dropped: RecordVerdict.PROPERTIES_DROPPED,
  refused: RecordVerdict.REFUSED,
  repeated: RecordVerdict.REPEATED,
};

function verdictOf(value: RecordVerdict, index: number): Verdict {
  const found = Object.entries(verdictValues).find(([, one]) => one === value)?.[0];
  if (found !== undefined) return found as Verdict;
  const valid = "RECORD_VERDICT_ACCEPTED, _PROPERTIES_DROPPED, _REFUSED and _REPEATED";
  return refuseField(`verdicts[${index}]`, `is ${value}, valid are the numbers of ${valid}`);
}

function toMessage(seen: SeenRecord): MessageInitShape<typeof WatchedRecordSchema> {
  const { receivedMs, appid, type, eventName, verdict, shown, dropped, refused, repeatedId = "" } = seen;
  return {
    receivedTime: timestampFromMs(receivedMs),
    appid,
    type,
    eventName,
    verdict: verdictValues[verdict],
    json: shown.json,
    cut: [...shown.cut],
    omittedMembers: shown.omittedMembers,
    dropped: dropped.map(toDropped),
    ...(refused !== undefined && {
      refused: { reason: refusalReasonOf(refused.reason), field: refused.field, message: refused.message },
    }),
    repeatedId,
  };
}
