import { createOutbound, followOutbound, type Outbound } from "../../../base/net/outbound.ts";
import type { Config } from "../../config/config.ts";

/** Creates the rules for connections to receivers, which follow `channel.outbound`. */
export function createChannelOutbound({ channel }: Pick<Config, "channel">): Outbound {
  const create = () => {
    const { allow } = channel.outbound;
    return { allow, outbound: createOutbound({ allow, setting: "channel.outbound.allow" }) };
  };
  let current = create();
  return followOutbound(() => {
    if (current.allow !== channel.outbound.allow) current = create();
    return current.outbound;
  });
}
