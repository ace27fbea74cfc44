import type { Client } from "@connectrpc/connect";
import { quoteText } from "../../base/text/quote.ts";
import { type Channel, ChannelSchema } from "../../gen/engage/channel/v1/channel_pb.ts";
import {
  type ChannelSender,
  DeleteChannelResponseSchema,
} from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import { collectRows } from "../client/collect-rows.ts";
import { findChannel } from "../client/find-channel.ts";
import { type ConfirmStreams, confirm } from "../terminal/confirm.ts";
import { type MessageOutput, timeOf, writeJson, writeRows, writeWarnings } from "../terminal/messages.ts";
import type { Column } from "../terminal/table.ts";
import { writeForeign } from "../terminal/terminal.ts";
import { writeYaml } from "../terminal/yaml.ts";
import { type ChannelOptions, readChannel } from "./read-channel.ts";

export type ChannelClient = Client<typeof ChannelSender>;
export type ChannelOutput = MessageOutput & ConfirmStreams;

export interface ListOptions {
  readonly project?: number;
  readonly limit: number;
}

export interface DeleteOptions {
  readonly yes?: true;
}

const maxPageSize = 1_000;

const columns: readonly Column<Channel>[] = [
  { head: "CHANNEL", of: ({ channelId }) => channelId },
  { head: "NAME", of: ({ name }) => name },
  { head: "PROJECT", of: ({ projectId }) => projectId },
  { head: "PUSH ID", of: ({ pushIdProperty }) => pushIdProperty },
  { head: "SIGNED", of: ({ authentication }) => (authentication?.secretIsSet ? "yes" : "no") },
  { head: "UPDATED", of: ({ updateTime }) => timeOf(updateTime) },
  { head: "URL", of: ({ url }) => url },
];

/** Prints the channels of a project, or of all projects. */
export async function printChannels(
  client: ChannelClient,
  { project = 0, limit }: ListOptions,
  output: ChannelOutput,
): Promise<void> {
  const found = await collectRows(limit, maxPageSize, async (page) => {
    const { channels: rows, nextPageToken } = await client.listChannels({
      projectId: BigInt(project),
      ...page,
    });
    return { rows, nextPageToken };
  });
  writeRows(output, { schema: ChannelSchema, columns, none: "no channels" }, found);
}

/** Prints one channel as YAML, which `channel update` reads. */
export async function printChannel(
  client: ChannelClient,
  given: string,
  output: ChannelOutput,
): Promise<void> {
  const channel = await findChannel(client, given);
  if (output.json) writeJson(output.stdout, ChannelSchema, [channel]);
  else writeYaml(output.stdout, ChannelSchema, channel);
}

/** Creates the channel of a file and of options. */
export async function createChannel(
  client: ChannelClient,
  file: string | undefined,
  options: ChannelOptions,
  output: ChannelOutput,
): Promise<void> {
  const wanted = await readChannel({ file, stored: undefined }, options, output.stdin);
  const { channel } = await client.createChannel({ channel: wanted });
  writeSaved(output, channel!, "is created");
}

/** Replaces a channel by that of a file, or changes the fields of options. */
export async function updateChannel(
  client: ChannelClient,
  { channel: given, file }: { readonly channel: string; readonly file: string | undefined },
  options: ChannelOptions,
  output: ChannelOutput,
): Promise<void> {
  const stored = await findChannel(client, given);
  const wanted = await readChannel({ file, stored }, options, output.stdin);
  const { channelId } = stored;
  const { channel, warnings } = await client.updateChannel({ channelId, channel: wanted });
  writeWarnings(output.stderr, warnings);
  writeSaved(output, channel!, "is updated");
}

function writeSaved({ stdout, json }: ChannelOutput, channel: Channel, what: string): void {
  if (json) writeJson(stdout, ChannelSchema, [channel]);
  else writeForeign(stdout, `channel ${channel.channelId} (${channel.name}) ${what}\n`);
}

/** Deletes a channel after a question. */
export async function deleteChannel(
  client: ChannelClient,
  given: string,
  { yes }: DeleteOptions,
  output: ChannelOutput,
): Promise<void> {
  const { channelId, name, etag } = await findChannel(client, given);
  if (!(await confirm(`delete channel ${channelId} (${quoteText(name)})`, yes, output))) {
    writeForeign(output.stderr, "nothing is deleted\n");
    return;
  }
  const response = await client.deleteChannel({ channelId, etag });
  if (output.json) writeJson(output.stdout, DeleteChannelResponseSchema, [response]);
  else writeForeign(output.stdout, `channel ${channelId} (${name}) is deleted\n`);
}
