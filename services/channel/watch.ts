import { isDeepStrictEqual } from "node:util";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { ChannelSender } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { TaskProgress } from "../../gen/engage/channel/v1/statistics_pb.ts";
import type { RunStatistics, StoredTask } from "../../store/channels/channels.ts";
import type { SenderOptions } from "./ports.ts";
import { notFound, toConnectError } from "./refusals.ts";
import { toProgress } from "./tasks/statistics.ts";

/** At most twice a second. */
const lookMs = 500;

interface Seen {
  readonly state: StoredTask["state"];
  readonly statistics: RunStatistics | null;
}

/** The method that tells the progress of a run. */
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

/** The run that is the latest when it begins; a task without one is told about once. */
async function* watch(
  options: SenderOptions,
  taskId: string,
  signal: AbortSignal,
): AsyncGenerator<TaskProgress> {
  const task = await options.store.task(taskId, { signal });
  if (task === null) throw notFound("task", taskId);
  let told: Seen | undefined;
  for (;;) {
    const seen = await look(options, task, signal);
    if (!isDeepStrictEqual(seen, told)) {
      yield toProgress(task, seen.state, seen.statistics, options.now());
      told = seen;
    }
    if (hasEnded(seen)) return;
    await options.sleep(lookMs, AbortSignal.any([signal, options.stopping]));
    signal.throwIfAborted();
    if (options.stopping.aborted) throw new ConnectError("the server stops, watch again", Code.Unavailable);
  }
}

async function look({ store }: SenderOptions, task: StoredTask, signal: AbortSignal): Promise<Seen> {
  if (task.runId === null) return { state: task.state, statistics: null };
  const [run, statistics] = await Promise.all([
    store.run(task.runId, { signal }),
    store.statistics(task.runId, { signal }),
  ]);
  return { state: run?.state ?? "done", statistics };
}

/** A run that was broken off has ended when what was under way is settled. */
function hasEnded({ state, statistics }: Seen): boolean {
  if (state === "preparing" || state === "sending") return false;
  return statistics === null || statistics.settledBatches >= statistics.batches;
}
