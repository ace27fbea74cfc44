import { createOutbound, followOutbound, type Outbound } from "../../../base/net/outbound.ts";
import type { OpenedExchange } from "../../../services/channel/delivery/sender.ts";
import type { Exchange } from "../../../services/channel/exchange/exchange.ts";
import type { Config } from "../../config/config.ts";

/** Rules for connections to receivers, which follow `channel.outbound`. */
export interface ChannelOutbound extends Outbound {
  /** Returns the rules in effect: the same ones until the setting changes. */
  readonly current: () => Outbound;
}

export function createChannelOutbound({ channel }: Pick<Config, "channel">): ChannelOutbound {
  const create = () => {
    const { allow } = channel.outbound;
    return { allow, outbound: createOutbound({ allow, setting: "channel.outbound.allow" }) };
  };
  let latest = create();
  const current = (): Outbound => {
    if (latest.allow !== channel.outbound.allow) latest = create();
    return latest.outbound;
  };
  return { ...followOutbound(current), current };
}

type Open = (outbound: Outbound) => OpenedExchange;

/**
 * Opens an exchange that is replaced when the rules change, since they are applied when a connection is opened, and
 * connections are kept. Requests in progress finish.
 */
export function openFollowingExchange(
  { current }: Pick<ChannelOutbound, "current">,
  open: Open,
): OpenedExchange {
  let latest = openReplaceable(current(), open);
  return {
    exchange(request) {
      const outbound = current();
      if (latest.outbound !== outbound) {
        latest.replaced();
        latest = openReplaceable(outbound, open);
      }
      return latest.exchange(request);
    },
    [Symbol.dispose]: () => latest[Symbol.dispose](),
  };
}

interface ReplaceableExchange extends OpenedExchange {
  readonly outbound: Outbound;
  /** Closes it when its requests have ended. */
  replaced(): void;
}

function openReplaceable(outbound: Outbound, open: Open): ReplaceableExchange {
  const opened = open(outbound);
  let requests = 0;
  let isReplaced = false;
  const closeUnused = (): void => {
    if (isReplaced && requests === 0) opened[Symbol.dispose]();
  };
  const exchange: Exchange = async (request) => {
    requests++;
    try {
      return await opened.exchange(request);
    } finally {
      requests--;
      closeUnused();
    }
  };
  return {
    outbound,
    exchange,
    replaced() {
      isReplaced = true;
      closeUnused();
    },
    [Symbol.dispose]: () => opened[Symbol.dispose](),
  };
}
