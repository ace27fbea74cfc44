import { timestampMs } from "@bufbuild/protobuf/wkt";
import { countOf } from "../../../base/text/count.ts";
import type { Calls } from "../calls.ts";
import { agentPrefix, type PushSettings } from "./settings.ts";

const dayMs = 86_400_000;

export interface Permission {
  /** Why a push must not be sent; undefined if it may be. */
  readonly refusal: string | undefined;
  /** How many more pushes agents may send today. */
  readonly left: number;
}

/**
 * Returns whether agents may send a push to this many users now. The pushes of today are the tasks in the store whose
 * names begin with the prefix, so that they count after a restart too, and for all replicas.
 */
export async function permissionOf(
  { allow, maxPerDay, maxUsers }: PushSettings,
  calls: Pick<Calls, "channels">,
  { reachable, nowMs }: { readonly reachable: number; readonly nowMs: number },
): Promise<Permission> {
  if (!allow)
    return {
      refusal: "agents may send no pushes: mcp.push.allow is false in the server's configuration",
      left: 0,
    };
  const sent = await countSince(calls, nowMs - (nowMs % dayMs));
  const left = Math.max(0, maxPerDay - sent);
  return { refusal: refusalOf({ reachable, maxUsers, sent, maxPerDay }), left };
}

interface Use {
  readonly reachable: number;
  readonly maxUsers: number;
  readonly sent: number;
  readonly maxPerDay: number;
}

function refusalOf({ reachable, maxUsers, sent, maxPerDay }: Use): string | undefined {
  if (sent >= maxPerDay) {
    return `agents have sent ${countOf(sent, "push")} today (UTC), which is the limit mcp.push.maxPerDay`;
  }
  if (reachable === 0) return "no user of the audience can receive it";
  if (reachable > maxUsers) {
    return `the audience has ${reachable} users, more than the limit of ${maxUsers} (mcp.push.maxUsers)`;
  }
  return undefined;
}

/** Counts the tasks of agents since a time. */
async function countSince({ channels }: Pick<Calls, "channels">, startMs: number): Promise<number> {
  let count = 0;
  let pageToken = "";
  do {
    const page = await channels.listTasks({ pageSize: 200, pageToken, withoutDefinition: true });
    for (const { name, createTime } of page.tasks) {
      if (createTime !== undefined && timestampMs(createTime) < startMs) return count;
      if (name.startsWith(agentPrefix)) count++;
    }
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return count;
}
