import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { refuseField, refuseViolations, under } from "../../base/rpc/invalid-fields.ts";
import { readPage, writePageToken } from "../../base/rpc/paging.ts";
import { quoteText } from "../../base/text/quote.ts";
import type { Channel } from "../../gen/engage/channel/v1/channel_pb.ts";
import type { ChannelSender } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { ChannelSaved, NewChannel } from "../../store/channels/channels.ts";
import { checkAddress, checkChannel, completeChannel } from "./channels/channel.ts";
import { checkUnassigned } from "./channels/names.ts";
import { resolveSecrets } from "./channels/stored-secrets.ts";
import type { SenderOptions } from "./ports.ts";
import { mapErrors, notFound, precondition } from "./refusals.ts";
import { decodeChannel, encodeChannel, showChannel, versionOf } from "./tasks/codec.ts";

type ChannelMethod = "createChannel" | "getChannel" | "listChannels" | "updateChannel" | "deleteChannel";

/** Creates the methods that manage channels. */
export function createChannelMethods(
  options: SenderOptions,
): Pick<ServiceImpl<typeof ChannelSender>, ChannelMethod> {
  const { store, projects } = options;
  return {
    createChannel: ({ channel }, { signal }) =>
      mapErrors(async () => {
        const given = channel ?? refuseField("channel", "is required");
        const { channelId, etag } = given;
        refuseViolations(under("channel", checkUnassigned({ channel_id: channelId, etag })));
        const complete = completeChannel(given, undefined);
        const { violations } = resolveSecrets(given, undefined);
        refuseViolations(under("channel", [...checkChannel(complete, projects), ...violations]));
        refuseViolations(
          under("channel", (await checkAddress(complete, undefined, options, signal)).violations),
        );
        return show(await store.createChannel(toNew(complete), { signal }), complete.name, "");
      }),

    getChannel: ({ channelId }, { signal }) =>
      mapErrors(async () => {
        const found = await store.channel(channelId, { signal });
        if (found === null) throw notFound("channel", channelId);
        return { channel: showChannel(found) };
      }),

    listChannels: (request, { signal }) =>
      mapErrors(async () => {
        const list = ["channels", String(request.projectId)];
        const filter = request.projectId === 0n ? {} : { projectId: Number(request.projectId) };
        const { items, next } = await store.channels(filter, readPage(request, list), { signal });
        return { channels: items.map(showChannel), nextPageToken: writePageToken(next, list) };
      }),

    updateChannel: ({ channelId, channel }, { signal }) =>
      mapErrors(async () => {
        const given = channel ?? refuseField("channel", "is required");
        if (given.channelId !== "" && given.channelId !== channelId) {
          const problem = `is ${quoteText(given.channelId)}, valid is ${quoteText(channelId)} or none`;
          refuseField("channel.channel_id", problem);
        }
        const stored = await store.channel(channelId, { signal });
        if (stored === null) throw notFound("channel", channelId);
        const before = decodeChannel(stored);
        const complete = completeChannel(given, before);
        const { violations, warnings } = resolveSecrets(given, before);
        refuseViolations(under("channel", [...checkChannel(complete, projects), ...violations]));
        const address = await checkAddress(complete, before, options, signal);
        refuseViolations(under("channel", address.violations));
        // Kept secrets come from the version read above, so a change in between must be detected.
        const version = versionOf(given.etag) ?? stored.version;
        const saved = await store.updateChannel(channelId, version, toNew(complete), { signal });
        return {
          ...show(saved, complete.name, channelId, given.etag),
          warnings: [...warnings, ...address.warnings],
        };
      }),

    deleteChannel: ({ channelId, etag }, { signal }) =>
      mapErrors(async () => {
        const deleted = await store.deleteChannel(channelId, versionOf(etag), { signal });
        switch (deleted.kind) {
          case "deleted":
            return {};
          case "unknown":
            throw notFound("channel", channelId);
          case "stale":
            throw staleEtag("etag", etag);
          case "in_use":
            throw precondition(`channel ${channelId} is used by task ${deleted.taskId}, which has not ended`);
        }
      }),
  };
}

function toNew(channel: Channel): NewChannel {
  return { name: channel.name, projectId: Number(channel.projectId), definition: encodeChannel(channel) };
}

function show(saved: ChannelSaved, name: string, channelId: string, etag = ""): { channel: Channel } {
  switch (saved.kind) {
    case "saved":
      return { channel: showChannel(saved.channel) };
    case "name_taken":
      throw new ConnectError(
        `channel.name is ${quoteText(name)}, which is the name of another channel`,
        Code.AlreadyExists,
      );
    case "unknown":
      throw notFound("channel", channelId);
    case "stale":
      throw staleEtag("channel.etag", etag);
  }
}

/** @param etag empty: the channel was changed during this call */
function staleEtag(field: string, etag: string): ConnectError {
  const found = etag === "" ? "the channel was changed during the call" : `${field} is ${quoteText(etag)}`;
  const problem = etag === "" ? "" : ", which is not the current one";
  return new ConnectError(`${found}${problem}, read the channel again`, Code.Aborted);
}
