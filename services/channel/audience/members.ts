import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import type { Audience } from "../../../gen/engage/channel/v1/task_pb.ts";
import type { AudienceMember, AudienceSource } from "./source.ts";

export interface MembersRequest {
  readonly projectId: number;
  readonly audience: Audience | undefined;
  readonly pushIdProperty: string;
  /** Lower case. */
  readonly properties: readonly string[];
}

/** Push ids that are looked up at a time, or passed on. */
const listChunk = 5_000;

const none = { properties: {} } as const;

/** The members of an audience, those without a push id too. */
export async function* audienceMembers(
  source: AudienceSource,
  { audience, ...request }: MembersRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly AudienceMember[]> {
  const choice = audience?.source;
  if (choice?.case === undefined) {
    refuseField("audience", "is required, valid are push_ids, users, analysis and cohort");
  }
  if (choice.case !== "pushIds") {
    yield* source.users({ ...request, choice }, signal);
    return;
  }
  const { pushIds } = choice.value;
  for (let at = 0; at < pushIds.length; at += listChunk) {
    signal.throwIfAborted();
    const some = pushIds.slice(at, at + listChunk);
    const known =
      request.properties.length === 0
        ? undefined
        : await source.lookup({ ...request, pushIds: [...new Set(some)] }, signal);
    yield some.map((pushId) => ({ pushId, properties: known?.get(pushId) ?? none.properties }));
  }
}

/** Whether the members are the same whenever they are asked for. */
export function isFixed({ audience, properties }: MembersRequest): boolean {
  return audience?.source.case === "pushIds" && properties.length === 0;
}
