import { create } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import {
  type DeadLetterFilter,
  DeadLetterFilterSchema,
} from "../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { type KindName, readId, readKind } from "./kinds.ts";
import type { DeadLetterSource, SourceFilter } from "./source.ts";

export interface ReadFilter {
  readonly kind: KindName;
  /** What it selects within the kind. */
  readonly filter: SourceFilter;
}

/** The fields that not all kinds have, as callers know them. */
const fieldNames = { projectId: "project_id", channel: "channel", target: "target", index: "index" } as const;

/**
 * Reads a filter.
 * @param fieldsOf returns the fields that a kind has of those that not all have
 * @throws InvalidFieldsError
 */
export function readFilter(
  given: DeadLetterFilter | undefined,
  fieldsOf: (kind: KindName) => DeadLetterSource["fields"],
): ReadFilter {
  const fields = given ?? create(DeadLetterFilterSchema);
  const kind = readKind("filter.kind", fields.kind);
  const own = fieldsOf(kind);
  for (const name of Object.keys(fieldNames) as (keyof typeof fieldNames)[]) {
    const isSet = name === "projectId" ? fields[name] !== 0n : fields[name] !== "";
    if (isSet && !own.includes(name)) {
      refuseField(`filter.${fieldNames[name]}`, `is not a field of this kind, valid are ${listOf(own)}`);
    }
  }
  return { kind, filter: { ...textsOf(fields), ...idOf(kind, fields), ...rangeOf(fields) } };
}

function listOf(own: DeadLetterSource["fields"]): string {
  return ["dead_letter_id", "reason", "text", "dead_from", "dead_until"]
    .concat(own.map((name) => fieldNames[name]))
    .join(", ");
}

/** Copies the fields that are set. */
function textsOf({ projectId, reason, text, channel, target, index }: DeadLetterFilter): SourceFilter {
  if (projectId < 0n || projectId > BigInt(Number.MAX_SAFE_INTEGER)) {
    refuseField("filter.project_id", `is ${projectId}, valid are positive ids`);
  }
  return {
    ...(projectId !== 0n && { projectId: Number(projectId) }),
    ...(reason !== "" && { reason }),
    ...(text !== "" && { text }),
    ...(channel !== "" && { channel }),
    ...(target !== "" && { target }),
    ...(index !== "" && { index }),
  };
}

function idOf(kind: KindName, { deadLetterId }: DeadLetterFilter): SourceFilter {
  if (deadLetterId === "") return {};
  const found = readId(deadLetterId);
  if (found?.kind !== kind)
    refuseField("filter.dead_letter_id", "is not the id of a dead letter of this kind");
  return { id: found!.id };
}

function rangeOf({ deadFrom, deadUntil }: DeadLetterFilter): SourceFilter {
  const [fromMs, untilMs] = [msOf(deadFrom), msOf(deadUntil)];
  if (fromMs !== undefined && untilMs !== undefined && fromMs >= untilMs) {
    refuseField("filter.dead_until", "is not after dead_from, so nothing can match");
  }
  return { ...(fromMs !== undefined && { fromMs }), ...(untilMs !== undefined && { untilMs }) };
}

function msOf(time: Timestamp | undefined): number | undefined {
  return time && timestampMs(time);
}
