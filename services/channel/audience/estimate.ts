import { setImmediate as turn } from "node:timers/promises";
import { audienceMembers, type MembersRequest } from "./members.ts";
import { SeenIds } from "./seen-ids.ts";
import type { AudienceSource } from "./source.ts";

export interface AudienceEstimate {
  readonly users: number;
  /** With a push id that nobody before them has. */
  readonly reachable: number;
}

/** Counts an audience by reading it. */
export async function estimateAudience(
  source: AudienceSource,
  request: Omit<MembersRequest, "properties">,
  signal: AbortSignal,
): Promise<AudienceEstimate> {
  const seen = new SeenIds();
  let [users, reachable] = [0, 0];
  for await (const some of audienceMembers(source, { ...request, properties: [] }, signal)) {
    users += some.length;
    for (const { pushId = "" } of some) if (pushId.trim() !== "" && seen.add(pushId)) reachable++;
    // Lists in memory would otherwise hold the event loop until their end.
    await turn();
    signal.throwIfAborted();
  }
  return { users, reachable };
}
