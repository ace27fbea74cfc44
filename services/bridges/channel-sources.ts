import type { AudienceSource } from "../channel/audience/source.ts";
import type { FunnelEvents, SenderPorts } from "../channel/ports.ts";
import { type AnalysisPorts, createChannelAudience } from "./channel-audience.ts";
import { createChannelFunnels } from "./channel-funnels.ts";

/** The users and events of projects, as channels need them. */
export interface ChannelSources extends Pick<SenderPorts, "checkAudience"> {
  readonly audience: AudienceSource;
  readonly events: FunnelEvents;
}

/** Creates the sources of channels from the queries of analysis. */
export function createChannelSources(ports: AnalysisPorts): ChannelSources {
  const audience = createChannelAudience(ports);
  return { audience, events: createChannelFunnels(ports), checkAudience: audience.checkAudience };
}
