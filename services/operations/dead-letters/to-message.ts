import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { cutUtf8 } from "../../../base/text/cut.ts";
import type {
  DeadLetterKindSummarySchema,
  DeadLetterReasonSchema,
  DeadLetterSchema,
} from "../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { type KindName, numberOf, writeId } from "./kinds.ts";
import type { FoundDeadLetter, FoundGroup, FoundGroups } from "./source.ts";

/** The bytes of a content in a list. */
const shownBytes = 2_048;

/** @param isWhole whether all of the content is wanted */
export function toDeadLetter(
  kind: KindName,
  found: FoundDeadLetter,
  isWhole = false,
): MessageInitShape<typeof DeadLetterSchema> {
  const { id, timeMs, reason, message, lines, isIncomplete } = found;
  const content = found.content === undefined ? noBytes : Buffer.from(found.content);
  const shown = isWhole ? content : cutUtf8(content, shownBytes);
  return {
    deadLetterId: writeId(kind, id),
    kind: numberOf(kind),
    deadTime: timestampFromMs(timeMs),
    reason,
    message,
    projectId: BigInt(found.projectId ?? 0),
    channel: found.channel ?? "",
    target: found.target ?? "",
    pushId: found.pushId ?? "",
    deliveryId: found.deliveryId ?? "",
    source: found.source ?? "",
    index: found.index ?? "",
    format: found.format ?? "",
    lines: BigInt(lines),
    content: new Uint8Array(shown),
    contentIsCut: shown.length < content.length,
    incomplete: isIncomplete,
  };
}

const noBytes = Buffer.alloc(0);

export function toSummary(
  kind: KindName,
  { groups, isComplete }: FoundGroups,
  replayObstacle: string | undefined,
): MessageInitShape<typeof DeadLetterKindSummarySchema> {
  const bytes = groups.flatMap((group) => group.bytes ?? []);
  return {
    kind: numberOf(kind),
    count: BigInt(groups.reduce((sum, { count }) => sum + count, 0)),
    complete: isComplete,
    ...(bytes.length > 0 && { bytes: BigInt(bytes.reduce((sum, one) => sum + one, 0)) }),
    ...(groups.length > 0 && {
      oldestTime: timestampFromMs(Math.min(...groups.map(({ oldestMs }) => oldestMs))),
      newestTime: timestampFromMs(Math.max(...groups.map(({ newestMs }) => newestMs))),
    }),
    replayObstacle: replayObstacle ?? "",
  };
}

export function toReason(kind: KindName, group: FoundGroup): MessageInitShape<typeof DeadLetterReasonSchema> {
  const { reason, projectId = 0, channel = "", target = "", count, oldestMs, newestMs, example } = group;
  return {
    reason,
    projectId: BigInt(projectId),
    channel,
    target,
    count: BigInt(count),
    oldestTime: timestampFromMs(oldestMs),
    newestTime: timestampFromMs(newestMs),
    example: toDeadLetter(kind, example),
  };
}
