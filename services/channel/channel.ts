import type { ServiceImpl } from "@connectrpc/connect";
import type { ChannelSender } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import { createChannelMethods } from "./channel-methods.ts";
import { createEstimateMethod } from "./estimate-method.ts";
import type { SenderOptions } from "./ports.ts";
import { createTaskMethods } from "./task-methods.ts";
import { createTestMethod } from "./test-method.ts";
import { createWatchMethod } from "./watch.ts";

/** The service ChannelSender. Nothing is sent here: runs that are begun are found in the store by who sends. */
export function createChannelSender(options: SenderOptions): ServiceImpl<typeof ChannelSender> {
  return {
    ...createChannelMethods(options),
    ...createEstimateMethod(options),
    ...createTestMethod(options),
    ...createTaskMethods(options),
    ...createWatchMethod(options),
  };
}
