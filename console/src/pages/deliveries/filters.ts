import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type {
  DeadLetterFilterSchema,
  DeliveryFilterSchema,
} from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { readMoment } from "../../router/moment.ts";
import { isStateName, type StateName } from "./states.ts";

/** The filters of the lists, as the URL has them. */
export interface Filters {
  readonly channel: string;
  readonly target: string;
  readonly state: StateName | "";
  readonly pushId: string;
  readonly request: string;
  readonly reason: string;
  /** Accepted at this time or later, in ms since 1970. */
  readonly fromMs: number | undefined;
  /** Accepted before this time. */
  readonly untilMs: number | undefined;
}

type Query = ReadonlyMap<string, string>;

export function readFilters(query: Query): Filters {
  const text = (name: string) => query.get(name) ?? "";
  const state = text("state");
  return {
    channel: text("channel"),
    target: text("target"),
    state: isStateName(state) ? state : "",
    pushId: text("push"),
    request: text("request"),
    reason: text("reason"),
    fromMs: readMoment(text("from")),
    untilMs: readMoment(text("until")),
  };
}

export function isFiltered(filters: Filters): boolean {
  return Object.values(filters).some((value) => value !== "" && value !== undefined);
}

/** The fields that all filters of the contract have. */
function rangeOf({ fromMs, untilMs }: Filters) {
  return {
    ...(fromMs !== undefined && { acceptedFrom: timestampFromMs(fromMs) }),
    ...(untilMs !== undefined && { acceptedUntil: timestampFromMs(untilMs) }),
  };
}

export function batchFilterOf(filters: Filters) {
  return { channel: filters.channel, requestId: filters.request, ...rangeOf(filters) };
}

export function deliveryFilterOf(filters: Filters): MessageInitShape<typeof DeliveryFilterSchema> {
  const { target, pushId, reason } = filters;
  return { ...batchFilterOf(filters), target, pushId, reason };
}

/** Returns the filter of the dead letters among the listed deliveries. */
export function deadLetterFilterOf(filters: Filters): MessageInitShape<typeof DeadLetterFilterSchema> {
  return deliveryFilterOf(filters) as MessageInitShape<typeof DeadLetterFilterSchema>;
}

/** Whether the listed deliveries may be dead letters, which can be replayed. */
export function mayBeDead({ state }: Filters): boolean {
  return state === "" || state === "dead";
}
