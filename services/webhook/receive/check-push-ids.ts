import { createClient } from "@connectrpc/connect";
import type { Outbound } from "../../../base/net/outbound.ts";
import { PushIdChecker } from "../../../gen/engage/handler/v1/push_id_checker_pb.ts";
import type { Channel } from "../channels.ts";
import type { ChannelConfig } from "../config.ts";
import { createConnection } from "../targets/grpc.ts";
import type { CheckPushIds } from "./push-ids.ts";

export interface PushIdCheckers extends Disposable {
  readonly checkPushIds: CheckPushIds;
}

/** Limit of a response, enough for a reason for each push id of a batch. */
const maxResponseBytes = 4_194_304;

/** Creates clients of the services engage.handler.v1.PushIdChecker of the channels. They connect at the first check. */
export function createPushIdCheckers(
  channels: Readonly<Record<Channel["name"], Pick<ChannelConfig, "pushId">>>,
  outbound: Outbound,
): PushIdCheckers {
  const connections = new Map(
    Object.entries(channels).flatMap(([channel, { pushId }]) => {
      if (pushId.check === undefined) return [];
      const { transport, close } = createConnection({
        url: pushId.check.url,
        tls: {},
        outbound,
        maxAnswerBytes: maxResponseBytes,
      });
      return [[channel, { client: createClient(PushIdChecker, transport), close }] as const];
    }),
  );
  return {
    async checkPushIds(channel, pushIds, signal) {
      const response = await connections
        .get(channel)
        ?.client.checkPushIds({ channel, pushIds: [...pushIds] }, { signal });
      return new Map(response?.unusable.map(({ pushId, reason }) => [pushId, reason]));
    },
    [Symbol.dispose]() {
      for (const { close } of connections.values()) close();
    },
  };
}
