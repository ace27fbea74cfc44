import { PreviewMessageResponseSchema } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { Task } from "../../gen/engage/channel/v1/task_pb.ts";
import { type MessageOutput, writeJson } from "../terminal/messages.ts";
import { writeForeign } from "../terminal/terminal.ts";
import { channelOf } from "./push.ts";
import type { TaskClient } from "./task.ts";

export interface PreviewOptions {
  /** Push id of the recipient. */
  readonly recipient: string;
  /** Group of the A/B test. */
  readonly group?: string;
  readonly language?: string;
}

/** Prints one message of a task as a run would send it, as JSON. */
export async function previewMessage(
  client: TaskClient,
  wanted: Task,
  { recipient: pushId, group: groupId = "", language = "" }: PreviewOptions,
  { stdout, stderr, json }: MessageOutput,
): Promise<void> {
  const { channelId } = await channelOf(client, wanted);
  const task = { ...wanted, channelId };
  const response = await client.previewMessage({ task, pushId, groupId, language });
  if (json) return writeJson(stdout, PreviewMessageResponseSchema, [response]);
  const group = response.groupId === "" ? "" : `, group ${response.groupId}`;
  writeForeign(stderr, `language ${response.language}${group}\n`);
  writeForeign(stdout, `${response.message}\n`);
}
