import { Code, ConnectError } from "@connectrpc/connect";
import { type HealthPart, HealthState, Settings } from "../../../../gen/engage/operations/v1/settings_pb.ts";
import type { GetStatsResponse } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { clientOf } from "../../rpc/transport.ts";

/** What the overview shows. */
export interface Overview {
  readonly stats: GetStatsResponse | undefined;
  /** The parts of the server that do not work, as far as the key in use may see them. */
  readonly failing: readonly HealthPart[];
}

const receiver = clientOf(WebhookReceiver);
const settings = clientOf(Settings);

/** Every sixth load, from the second on, is of the health: one query at a time keeps to the limit of live views. */
const healthEvery = 6;

/** Returns a function that brings a part of the overview up to date, the counts more often than the health. */
export function createOverviewLoad(): (signal: AbortSignal) => Promise<Overview> {
  let loads = 0;
  let overview: Overview = { stats: undefined, failing: [] };
  return async (signal) => {
    const isHealth = loads % healthEvery === 1;
    loads++;
    overview = isHealth
      ? { stats: overview.stats, failing: await failingParts(signal) }
      : { stats: await receiver.getStats({}, { signal }), failing: overview.failing };
    return overview;
  };
}

async function failingParts(signal: AbortSignal): Promise<readonly HealthPart[]> {
  try {
    const { parts } = await settings.getHealth({}, { signal });
    return parts.filter(({ state }) => state !== HealthState.OK);
  } catch (error) {
    // A key for webhooks alone may not see the health, and still gets the counts; so does a server without Settings.
    const { code } = ConnectError.from(error);
    if (code === Code.PermissionDenied || code === Code.Unimplemented) return [];
    throw error;
  }
}
