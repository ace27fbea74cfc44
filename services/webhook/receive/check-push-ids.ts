import { createClient } from "@connectrpc/connect";
import type { Outbound } from "../../../base/net/outbound.ts";
import { PushIdChecker } from "../../../gen/engage/handler/v1/push_id_checker_pb.ts";
import type { Channel } from "../channels.ts";
import type { ChannelConfig } from "../config.ts";
import { createConnection } from "../targets/grpc.ts";
import type { CheckPushIds } from "./push-ids.ts";

export interface PushIdCheckers extends Disposable {
  readonly checkPushIds: CheckPushIds;
  /** Asks the services of these channels from now on. Checks in progress end first. */
  configure(channels: CheckedChannels, outbound: Outbound): void;
}

type CheckedChannels = Readonly<Record<Channel["name"], Pick<ChannelConfig, "pushId">>>;

/** Limit of a response, enough for a reason for each push id of a batch. */
const maxResponseBytes = 4_194_304;

/** Creates clients of the services engage.handler.v1.PushIdChecker of channels. They connect at the first check. */
export function createPushIdCheckers(): PushIdCheckers {
  let checkers: ReadonlyMap<string, Checker> = new Map();
  return {
    async checkPushIds(channel, pushIds, signal) {
      return (await checkers.get(channel)?.check(channel, pushIds, signal)) ?? new Map();
    },
    configure(channels, outbound) {
      const before = checkers;
      checkers = new Map(
        Object.entries(channels).flatMap(
          ([
            channel,
            {
              pushId: { check },
            },
          ]) => {
            if (check === undefined) return [];
            const known = before.get(channel);
            const isKept = known?.url === check.url && known.outbound === outbound;
            return [[channel, isKept ? known : createChecker(check.url, outbound)] as const];
          },
        ),
      );
      for (const [channel, checker] of before) if (checkers.get(channel) !== checker) checker.retire();
    },
    [Symbol.dispose]() {
      for (const { close } of checkers.values()) close();
    },
  };
}

interface Checker {
  readonly url: string;
  readonly outbound: Outbound;
  readonly check: CheckPushIds;
  /** Closes the connection when the last check has ended. */
  retire(): void;
  close(): void;
}

function createChecker(url: string, outbound: Outbound): Checker {
  const { transport, close } = createConnection({ url, tls: {}, outbound, maxAnswerBytes: maxResponseBytes });
  const client = createClient(PushIdChecker, transport);
  let running = 0;
  let isRetired = false;
  return {
    url,
    outbound,
    close,
    async check(channel, pushIds, signal) {
      running++;
      try {
        const { unusable } = await client.checkPushIds({ channel, pushIds: [...pushIds] }, { signal });
        return new Map(unusable.map(({ pushId, reason }) => [pushId, reason]));
      } finally {
        if (--running === 0 && isRetired) close();
      }
    },
    retire() {
      isRetired = true;
      if (running === 0) close();
    },
  };
}
