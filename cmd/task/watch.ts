import { setTimeout as sleep } from "node:timers/promises";
import type { WriteStream } from "node:tty";
import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { SingleBar } from "cli-progress";
import { valueWord } from "../../base/protobuf/value-words.ts";
import type { ChannelSender } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { TaskProgress, TaskStatistics } from "../../gen/engage/channel/v1/statistics_pb.ts";
import { TaskState, TaskStateSchema } from "../../gen/engage/channel/v1/task_pb.ts";
import { describeCallError } from "../client/call-fault.ts";
import { StoppedError, UserError } from "../terminal/user-error.ts";

export interface WatchOptions {
  readonly stderr: WriteStream;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** A restart of the server takes less time. */
const maxSilenceMs = 60_000;
const retryMs = 500;

/** Errors that do not change when the call is repeated. */
const permanent: readonly Code[] = [
  Code.InvalidArgument,
  Code.NotFound,
  Code.PermissionDenied,
  Code.Unauthenticated,
  Code.Unimplemented,
];

/**
 * Watches the run of a task and returns its last progress. Shows a bar on a terminal, and
 * waits for a server that restarts.
 * @throws UserError that says how to continue watching
 */
export async function watchRun(
  client: Client<typeof ChannelSender>,
  taskId: string,
  { stderr, signal }: WatchOptions,
): Promise<TaskProgress> {
  const bar = startBar(stderr);
  const continues = `the push continues in the server: engage push --watch ${taskId}`;
  let last: TaskProgress | undefined;
  let heardMs = performance.now();
  try {
    for (;;) {
      try {
        // A run may take hours.
        for await (const { progress } of client.watchTask({ taskId }, { timeoutMs: 0, signal })) {
          last = progress!;
          heardMs = performance.now();
          bar?.show(last);
        }
        if (last === undefined) throw new UserError(`the server reported no progress of task ${taskId}`);
        return last;
      } catch (error) {
        if (signal.aborted) throw new StoppedError(`stopped; ${continues}`);
        if (!(error instanceof ConnectError) || permanent.includes(error.code)) throw error;
        if (performance.now() - heardMs > maxSilenceMs)
          throw new UserError(`the server is unavailable: ${describeCallError(error)}; ${continues}`, {
            cause: error,
          });
        await sleep(retryMs);
      }
    }
  } finally {
    bar?.stop();
  }
}

function startBar(stderr: WriteStream) {
  if (stderr.isTTY !== true) return undefined;
  const bar = new SingleBar({
    stream: stderr,
    format: "{state} {bar} {percentage}% of {total} messages | {failed} failed | {eta_formatted} left",
    clearOnComplete: true,
  });
  bar.start(0, 0, { state: "preparing", failed: 0 });
  return {
    show(progress: TaskProgress): void {
      const { succeeded = 0n, batched = 0n } = progress.statistics ?? {};
      const failed = failedOf(progress.statistics);
      bar.setTotal(Number(batched));
      bar.update(Number(succeeded) + failed, { state: stateName(progress), failed });
    },
    stop: () => bar.stop(),
  };
}

/** Returns the state in words, such as `done`. */
export function stateName({ state }: { readonly state: TaskState }): string {
  return valueWord(TaskStateSchema, state) ?? String(state);
}

function failedOf(statistics: TaskStatistics | undefined): number {
  return (statistics?.failed ?? []).reduce((sum, { count }) => sum + Number(count), 0);
}

/** Reports whether there were messages and all have succeeded. */
export function hasSucceeded({ state, statistics }: TaskProgress): boolean {
  return state === TaskState.DONE && failedOf(statistics) === 0 && (statistics?.batched ?? 0n) > 0n;
}
