import { isDeepStrictEqual } from "node:util";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { ChannelSender } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { TaskProgress } from "../../gen/engage/channel/v1/statistics_pb.ts";
import type { RunStatistics, StoredTask } from "../../store/channels/channels.ts";
import type { SenderOptions } from "./ports.ts";
import { notFound, toConnectError } from "./refusals.ts";
import { toProgress } from "./tasks/statistics.ts";

/** Time between two reads of the progress. */
const pollMs = 500;

interface Seen {
  readonly state: StoredTask["state"];
  readonly statistics: RunStatistics | null;
}

/** Creates the method that streams the progress of a run. */
export function createWatchMethod(
  options: SenderOptions,
): Pick<ServiceImpl<typeof ChannelSender>, "watchTask"> {
  return {
    async *watchTask({ taskId }, { signal }) {
      try {
        for await (const progress of watch(options, taskId, signal)) yield { progress };
      } catch (error) {
        throw toConnectError(error);
      }
    },
  };
}

/** Yields the progress of the latest run, at first and after each change; a task without a run has one progress. */
async function* watch(
  options: SenderOptions,
  taskId: string,
  signal: AbortSignal,
): AsyncGenerator<TaskProgress> {
  const task = await options.store.task(taskId, { signal });
  if (task === null) throw notFound("task", taskId);
  let sent: Seen | undefined;
  for (;;) {
    const seen = await readState(options, task, signal);
    if (!isDeepStrictEqual(seen, sent)) {
      yield toProgress(task, seen.state, seen.statistics, options.now());
      sent = seen;
    }
    if (hasEnded(seen)) return;
    await options.sleep(pollMs, AbortSignal.any([signal, options.stopping]));
    signal.throwIfAborted();
    if (options.stopping.aborted)
      throw new ConnectError("the server is stopping, call again", Code.Unavailable);
  }
}

async function readState({ store }: SenderOptions, task: StoredTask, signal: AbortSignal): Promise<Seen> {
  if (task.runId === null) return { state: task.state, statistics: null };
  const [run, statistics] = await Promise.all([
    store.run(task.runId, { signal }),
    store.statistics(task.runId, { signal }),
  ]);
  return { state: run?.state ?? "done", statistics };
}

/** Reports whether the run has ended. A cancelled or failed run ends when the batches in flight are settled. */
function hasEnded({ state, statistics }: Seen): boolean {
  if (state === "preparing" || state === "sending") return false;
  return statistics === null || statistics.settledBatches >= statistics.batches;
}
