import { type Client, Code, ConnectError } from "@connectrpc/connect";
import type { Channel } from "../../gen/engage/channel/v1/channel_pb.ts";
import type { ChannelSender } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import { unknownName } from "../terminal/unknown-name.ts";
import { UsageError } from "../terminal/user-error.ts";

const channelPage = 1_000;

/** Finds a push channel by its id or name. @throws UserError with the nearest name, or all names */
export async function findChannel(client: Client<typeof ChannelSender>, given: string): Promise<Channel> {
  if (given === "") throw new UsageError("the id or name of the channel is empty");
  if (/^c\d+$/.test(given)) {
    const found = await channelOf(client, given);
    if (found !== undefined) return found;
  }
  const names: string[] = [];
  let pageToken = "";
  do {
    const page = await client.listChannels({ pageSize: channelPage, pageToken });
    const found = page.channels.find(({ name }) => name === given);
    if (found !== undefined) return found;
    for (const { name } of page.channels) names.push(name);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  throw unknownName("channel", given, names);
}

async function channelOf(
  client: Client<typeof ChannelSender>,
  channelId: string,
): Promise<Channel | undefined> {
  try {
    return (await client.getChannel({ channelId })).channel;
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.NotFound) return undefined;
    throw error;
  }
}
