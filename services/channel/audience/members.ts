import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import type { Audience } from "../../../gen/engage/channel/v1/task_pb.ts";
import { ReachableMembers } from "./reachable.ts";
import type { AudienceMember, AudienceSource } from "./source.ts";

export interface MembersRequest {
  readonly projectId: number;
  readonly audience: Audience | undefined;
  readonly pushIdProperty: string;
  /** Names of the properties to read, in lower case. */
  readonly properties: readonly string[];
}

/** Push ids that are looked up or yielded at a time. */
const listChunk = 5_000;

const none = { properties: {} } as const;

/** Reads the members of an audience, including those without a push id. */
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

/** Reports whether the task itself holds the members, so that each read returns the same ones. */
export function isFixed({ audience, properties }: MembersRequest): boolean {
  return audience?.source.case === "pushIds" && properties.length === 0;
}

export interface AudienceEstimate {
  readonly users: number;
  /** Users with a push id that no user before them has. */
  readonly reachable: number;
  /** The first push ids. */
  readonly samplePushIds: readonly string[];
}

/**
 * Reads an audience and counts its users.
 * @param sampleSize the maximum number of push ids to return
 */
export async function estimateAudience(
  source: AudienceSource,
  { sampleSize, ...request }: Omit<MembersRequest, "properties"> & { readonly sampleSize: number },
  signal: AbortSignal,
): Promise<AudienceEstimate> {
  const reachableMembers = new ReachableMembers();
  const samplePushIds: string[] = [];
  let [users, reachable] = [0, 0];
  for await (const some of audienceMembers(source, { ...request, properties: [] }, signal)) {
    users += some.length;
    for (const member of some) {
      if (!reachableMembers.add(member)) continue;
      reachable++;
      if (samplePushIds.length < sampleSize) samplePushIds.push(member.pushId!);
    }
    // Lists in memory would otherwise block the event loop until their end.
    await yieldToEventLoop();
    signal.throwIfAborted();
  }
  return { users, reachable, samplePushIds };
}
