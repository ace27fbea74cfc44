import type { ServiceImpl } from "@connectrpc/connect";
import type { ChannelSender } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import { createChannelMethods } from "./channel-methods.ts";
import { createEstimateMethod, createPreviewMethod, createTestMethod } from "./limited-methods.ts";
import type { SenderOptions } from "./ports.ts";
import { createTaskMethods } from "./task-methods.ts";
import { createWatchMethod } from "./watch.ts";

/**
 * Creates the service ChannelSender.
 *
 * The methods only read and write the store: `delivery/` finds started runs there, prepares their batches (`audience/`,
 * `content/`) and sends them; `schedule/` starts runs at their times. `channels/` and `tasks/` hold the rules of both
 * messages, `rest/` their JSON, `check/` the probes of `engage check`.
 */
export function createChannelSender(options: SenderOptions): ServiceImpl<typeof ChannelSender> {
  return {
    ...createChannelMethods(options),
    ...createEstimateMethod(options),
    ...createTestMethod(options),
    ...createPreviewMethod(options),
    ...createTaskMethods(options),
    ...createWatchMethod(options),
  };
}
