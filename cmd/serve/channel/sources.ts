import { createChannelFunnels } from "../../../services/bridges/channel-funnels.ts";
import { createChannelUsers, type UserPorts } from "../../../services/bridges/channel-users.ts";
import type { ChannelSources } from "./open-sender.ts";

/** Users and events of projects, by the queries of analysis. */
export function createChannelSources(ports: UserPorts): ChannelSources {
  const users = createChannelUsers(ports);
  return { audience: users, events: createChannelFunnels(ports), checkAudience: users.checkAudience };
}
