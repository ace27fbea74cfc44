import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import {
  type DeadLetterFilter as DeadLetterFields,
  type DeliveryFilter as DeliveryFields,
  DeliveryState as State,
} from "../../../gen/engage/webhook/v1/delivery_pb.ts";
import type { BatchFilter as BatchFields } from "../../../gen/engage/webhook/v1/received_batch_pb.ts";
import type {
  BatchFilter,
  DeadLetterFilter,
  DeliveryFilter,
  DeliveryState,
} from "../../../store/inbox/inbox.ts";

const states: ReadonlyMap<State, DeliveryState> = new Map([
  [State.PENDING, "pending"],
  [State.LEASED, "leased"],
  [State.DELIVERED, "delivered"],
  [State.DEAD, "dead"],
]);

const numbers: ReadonlyMap<DeliveryState, State> = new Map(
  [...states].map(([number, name]) => [name, number]),
);

export function stateNumber(state: DeliveryState): State {
  return numbers.get(state)!;
}

/** @throws InvalidFieldsError */
export function readDeliveryFilter(fields: DeliveryFields | undefined, state: State): DeliveryFilter {
  const name = states.get(state);
  if (name === undefined && state !== State.UNSPECIFIED) {
    refuseField("state", `is ${state}, valid are ${[...states.keys()].join(", ")}, or 0 for all`);
  }
  return {
    ...textsOf(fields, ["channel", "target", "batchId", "requestId", "pushId", "reason"]),
    ...(name && { state: name }),
    ...rangeOf("accepted", fields?.acceptedFrom, fields?.acceptedUntil),
  };
}

/** @throws InvalidFieldsError */
export function readDeadLetterFilter(fields: DeadLetterFields | undefined): DeadLetterFilter {
  return {
    ...textsOf(fields, ["channel", "target", "batchId", "requestId", "pushId", "deliveryId", "reason"]),
    ...rangeOf("dead", fields?.deadFrom, fields?.deadUntil),
    ...acceptedOf(fields),
  };
}

function acceptedOf(
  fields: DeadLetterFields | undefined,
): Pick<DeadLetterFilter, "acceptedFromMs" | "acceptedToMs"> {
  const { fromMs, toMs } = rangeOf("accepted", fields?.acceptedFrom, fields?.acceptedUntil);
  return {
    ...(fromMs !== undefined && { acceptedFromMs: fromMs }),
    ...(toMs !== undefined && { acceptedToMs: toMs }),
  };
}

/** @throws InvalidFieldsError */
export function readBatchFilter(fields: BatchFields | undefined): BatchFilter {
  return {
    ...textsOf(fields, ["channel", "requestId"]),
    ...rangeOf("accepted", fields?.acceptedFrom, fields?.acceptedUntil),
  };
}

/** Copies the fields that are not empty. */
function textsOf<K extends string>(
  fields: { readonly [key in K]: string } | undefined,
  names: readonly K[],
): { [key in K]?: string } {
  const set = names.filter((name) => (fields?.[name] ?? "") !== "");
  return Object.fromEntries(set.map((name) => [name, fields![name]])) as { [key in K]?: string };
}

function rangeOf(
  name: string,
  from: Timestamp | undefined,
  until: Timestamp | undefined,
): { readonly fromMs?: number; readonly toMs?: number } {
  const [fromMs, toMs] = [from && timestampMs(from), until && timestampMs(until)];
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs) {
    refuseField(`filter.${name}_until`, `is not after ${name}_from, so nothing can match`);
  }
  return { ...(fromMs !== undefined && { fromMs }), ...(toMs !== undefined && { toMs }) };
}
