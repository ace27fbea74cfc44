import { Code, ConnectError } from "@connectrpc/connect";
import {
  type EventLag,
  type HealthPart,
  HealthState,
  Settings,
} from "../../../../gen/engage/operations/v1/settings_pb.ts";
import type { GetStatsResponse } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { clientOf } from "../../rpc/transport.ts";

/** What the overview shows. */
export interface Overview {
  readonly stats: GetStatsResponse | undefined;
  /** The parts of the server that do not work, as far as the key in use may see them. */
  readonly failing: readonly HealthPart[];
  /** The records that cannot be queried yet; undefined while they are not known. */
  readonly lag: EventLag | undefined;
}

type Health = Pick<Overview, "failing" | "lag">;

const receiver = clientOf(WebhookReceiver);
const settings = clientOf(Settings);

/** Every sixth load, from the second on, is of the health: one query at a time keeps to the limit of live views. */
const healthEvery = 6;

/** Returns a function that brings a part of the overview up to date, the counts more often than the health. */
export function createOverviewLoad(): (signal: AbortSignal) => Promise<Overview> {
  let loads = 0;
  let overview: Overview = { stats: undefined, failing: [], lag: undefined };
  return async (signal) => {
    const isHealth = loads % healthEvery === 1;
    loads++;
    overview = isHealth
      ? { stats: overview.stats, ...(await readHealth(signal)) }
      : { ...overview, stats: await receiver.getStats({}, { signal }) };
    return overview;
  };
}

async function readHealth(signal: AbortSignal): Promise<Health> {
  try {
    const { parts, eventLag } = await settings.getHealth({}, { signal });
    return { failing: parts.filter(({ state }) => state !== HealthState.OK), lag: eventLag };
  } catch (error) {
    // A key for webhooks alone may not see the health, and still gets the counts; so does a server without Settings.
    const { code } = ConnectError.from(error);
    if (code === Code.PermissionDenied || code === Code.Unimplemented) {
      return { failing: [], lag: undefined };
    }
    throw error;
  }
}
