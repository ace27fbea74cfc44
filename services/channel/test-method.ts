import type { ServiceImpl } from "@connectrpc/connect";
import { refuseField, refuseViolations, under } from "../../base/rpc/invalid-fields.ts";
import type { Channel } from "../../gen/engage/channel/v1/channel_pb.ts";
import type { ChannelSender, TestChannelRequest } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import { createInTurn } from "./call-shares.ts";
import { checkChannel, completeChannel } from "./channels/channel.ts";
import { keepSecrets } from "./channels/kept-secrets.ts";
import type { SenderOptions } from "./ports.ts";
import { mapErrors, notFound } from "./refusals.ts";
import { decodeChannel } from "./tasks/codec.ts";

/** The method that tries a channel. */
export function createTestMethod(
  options: SenderOptions,
): Pick<ServiceImpl<typeof ChannelSender>, "testChannel"> {
  const inTurn = createInTurn({ what: "tests of channels", maxRunning: 8, maxWaiting: 64 }, options.callerOf);
  return {
    testChannel: (request, context) =>
      mapErrors(async () => {
        const { signal } = context;
        const channel = await channelOf(request, options, signal);
        const { pushId, content } = request;
        if (pushId.trim() === "") refuseField("push_id", "is required");
        if (content !== undefined) refuseViolations(under("content", options.checkContent(channel, content)));
        return await inTurn(context, channel.projectId, () =>
          options.testChannel({ channel, pushId, content }, signal),
        );
      }),
  };
}

async function channelOf(
  { channel, channelId }: TestChannelRequest,
  { store, projects }: SenderOptions,
  signal: AbortSignal,
): Promise<Channel> {
  if (channel !== undefined && channelId !== "") {
    refuseField("channel_id", "is set beside channel, valid is one of them");
  }
  const find = async (id: string): Promise<Channel> => {
    const stored = await store.channel(id, { signal });
    if (stored === null) throw notFound("channel", id);
    return decodeChannel(stored);
  };
  if (channel === undefined) {
    if (channelId === "") refuseField("channel", "or channel_id is required");
    return find(channelId);
  }
  // A saved channel as it would be after a change keeps the secrets that it says to have.
  const stored = channel.channelId === "" ? undefined : await find(channel.channelId);
  const complete = completeChannel(channel, stored);
  const { violations } = keepSecrets(channel, stored);
  refuseViolations(under("channel", [...checkChannel(complete, projects), ...violations]));
  return complete;
}
