import { z } from "zod";
import { createSerial } from "../../../base/async/serial.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Task } from "../../../gen/engage/channel/v1/task_pb.ts";
import type { Calls } from "../calls.ts";
import { permissionOf } from "../push/permission.ts";
import { defineTool, type Tool, ToolError, wordError } from "../tool.ts";
import { shownTask } from "./channels-and-tasks.ts";
import type { PreviewOptions } from "./preview-push.ts";

/** Creates the tool that sends a push which was previewed. */
export function createSendPush({ push, previews, now }: PreviewOptions): Tool {
  // Concurrent calls would all see the same number of pushes of today.
  const serial = createSerial();
  return defineTool({
    name: "send_push",
    title: "Send a push",
    description:
      "Sends the push of a preview to people, which cannot be undone. Only after the user has seen the preview and agreed. A token sends once.",
    input: z.strictObject({ token: z.string().describe("token of preview_push.") }),
    effect: "destructive and open world",
    run: ({ token }, calls) =>
      serial(async () => {
        const preview = previews.find(token, calls.caller);
        if (preview === undefined)
          throw new ToolError(
            "token is not known here, was used, or is older than 15 minutes: call preview_push again",
          );
        const { task, projectId, pushIdProperty } = preview;
        const request = { projectId, audience: task.audience!, pushIdProperty };
        const reachable = Number((await calls.channels.estimateAudience(request)).reachable);
        const { refusal, left } = await permissionOf(push, calls, { reachable, nowMs: now() });
        if (refusal !== undefined) throw new ToolError(refusal);
        previews.delete(token);
        const created = await calls.channels.createTask({ task });
        const started = await start(created.task!, calls);
        return { head: { ...shownTask(started), reachable, pushes_left_today: left - 1 } };
      }),
  });
}

/** Runs a task that was created. The error of a failure names the task, which remains. */
async function start({ taskId }: Task, { channels }: Calls): Promise<Task> {
  try {
    return (await channels.runTask({ taskId })).task!;
  } catch (error) {
    const reason = wordError(error);
    if (reason === undefined) throw error;
    throw new ToolError(
      `task ${quote(taskId)} was created and counts for today, but starting it failed: ${reason}; see its state with channels_and_tasks, an operator can run or delete it`,
    );
  }
}
