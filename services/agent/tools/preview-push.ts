import type { Task } from "../../../gen/engage/channel/v1/task_pb.ts";
import type { Calls } from "../calls.ts";
import { pushArguments, taskOf } from "../push/arguments.ts";
import { permissionOf } from "../push/permission.ts";
import type { Previews } from "../push/previews.ts";
import type { PushSettings } from "../push/settings.ts";
import { defineTool, type Tool, ToolError } from "../tool.ts";

/** Messages that a preview shows. */
const sampleSize = 3;

export interface PreviewOptions {
  readonly push: PushSettings;
  readonly previews: Previews;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Creates the tool that shows a push before it is sent. */
export function createPreviewPush({ push, previews, now }: PreviewOptions): Tool {
  return defineTool({
    name: "preview_push",
    title: "Preview a push",
    description:
      "Counts the audience of a push and writes up to three of its messages; sends nothing. Returns a token for send_push. Show the user the size and the messages before sending.",
    input: pushArguments,
    async run(given, calls) {
      const { channel } = await calls.channels.getChannel({ channelId: given.channel_id });
      if (channel === undefined) throw new ToolError("the channel is not known");
      const { projectId, pushIdProperty } = channel;
      const task = taskOf(given, projectId);
      const request = { projectId, audience: task.audience!, pushIdProperty, sampleSize };
      const { users, reachable, warnings, samplePushIds } = await calls.channels.estimateAudience(request);
      const messages = await writeMessages(task, samplePushIds, calls);
      const { refusal, left } = await permissionOf(push, calls, {
        reachable: Number(reachable),
        nowMs: now(),
      });
      const { token, endMs } = previews.add({ task, projectId, pushIdProperty, caller: calls.caller });
      return {
        head: {
          channel: channel.name,
          users: Number(users),
          reachable: Number(reachable),
          ...(warnings.length > 0 && { warnings }),
          messages,
          token,
          token_ends: new Date(endMs).toISOString(),
          may_send: refusal === undefined,
          ...(refusal !== undefined && { refusal }),
          pushes_left_today: left,
        },
      };
    },
  });
}

async function writeMessages(
  task: Task,
  pushIds: readonly string[],
  { channels }: Calls,
): Promise<unknown[]> {
  const messages: unknown[] = [];
  for (const pushId of pushIds) {
    const { message, language } = await channels.previewMessage({ task, pushId });
    messages.push({ push_id: pushId, language, message: JSON.parse(message) as unknown });
  }
  return messages;
}
