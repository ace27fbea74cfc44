import { configuredZone, dateIn } from "../../../base/time/zone.ts";
import { encodeTrace } from "../../../base/trace/context.ts";
import { startTrace, type Tracer } from "../../../base/trace/trace.ts";
import type { ChannelStore, DueClaim, DueTask } from "../../../store/channels/channels.ts";
import type { Projects } from "../ports.ts";
import { decodeTask } from "../tasks/codec.ts";
import { runSpan, runSpanName } from "../tasks/run-span.ts";
import { compileTimes } from "./schedule.ts";

export interface SchedulerOptions {
  readonly store: Pick<ChannelStore, "dueTasks" | "claimDueTask" | "channel">;
  readonly projects: Pick<Projects, "zoneOf">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Resolves after `ms` milliseconds, or when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly observer: ScheduleObserver;
  /** Traces the runs that begin at their times. Default: they are not traced. */
  readonly tracer?: Tracer | undefined;
}

export interface ScheduleObserver {
  /** A time of a task was handled; `missed`: no run began, because it was too late or another run had not ended. */
  taken(taskId: string, outcome: "begun" | "missed"): void;
  /** The definition of a task cannot be read, so its schedule ended. */
  refused(taskId: string, error: unknown): void;
  failed(error: unknown): void;
}

export interface Scheduler extends AsyncDisposable {
  /** Looks for due tasks at once, because a task was created. */
  wake(): void;
}

/** A run makes up for times that were missed by at most this long; older ones are skipped. */
const catchUpMs = 3_600_000;
/** Longest time between two looks for due tasks, since other replicas create tasks too. */
const maxWaitMs = 30_000;
const dueAtOnce = 100;
/** Time until the next attempt if the store is unavailable. */
const retryMs = 5_000;
const unreadable = "its definition cannot be read";

/** Starts runs at their times, each on one replica. */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const stop = new AbortController();
  let pause = new AbortController();
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      pause = new AbortController();
      const waitMs = await runDueTasks(options, stop.signal);
      await options.sleep(waitMs, AbortSignal.any([stop.signal, pause.signal]));
    }
  };
  const ended = loop();
  return {
    wake: () => pause.abort(),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

/** Handles due tasks. Returns how long to wait for the next one. */
async function runDueTasks(options: SchedulerOptions, signal: AbortSignal): Promise<number> {
  const { store, now, observer } = options;
  try {
    const { due, nextAtMs } = await store.dueTasks(dueAtOnce, { signal });
    for (const task of due) await runDueTask(options, task);
    if (due.length === dueAtOnce) return 0;
    return Math.max(0, Math.min(maxWaitMs, (nextAtMs ?? Number.POSITIVE_INFINITY) - now()));
  } catch (error) {
    if (signal.aborted) return 0;
    observer.failed(error);
    return retryMs;
  }
}

async function runDueTask(options: SchedulerOptions, due: DueTask): Promise<void> {
  const { store, projects, now, observer } = options;
  const { taskId, nextRunAtMs } = due;
  const channel = await store.channel(due.channelId);
  const zone = projects.zoneOf(BigInt(channel?.projectId ?? 0)) ?? "UTC";
  let claim: DueClaim;
  try {
    claim = claimOf(due, zone, now());
  } catch (error) {
    // One such task must not block the others.
    await store.claimDueTask({ taskId, nextRunAtMs, followingAtMs: null, run: null, failure: unreadable });
    observer.refused(taskId, error);
    return;
  }
  const { run } = claim;
  const span = run && startTrace(options.tracer, undefined, runSpanName, () => runSpan(taskId));
  const result = await store
    .claimDueTask(run && span ? { ...claim, run: { ...run, trace: encodeTrace(span) } } : claim)
    .finally(() => span?.end());
  if (result.kind === "claimed") observer.taken(taskId, result.run === null ? "missed" : "begun");
}

/** Computes the claim of a due task. @throws if the definition cannot be read */
function claimOf(due: DueTask, zone: string, nowMs: number): DueClaim {
  const { taskId, nextRunAtMs } = due;
  const { schedule } = decodeTask(due);
  const times = schedule && compileTimes(schedule, zone);
  const latestMs = Math.max(nextRunAtMs, times?.last(nowMs) ?? nextRunAtMs);
  const isLate = nowMs - latestMs > catchUpMs;
  return {
    taskId,
    nextRunAtMs,
    // The clock may have been set back after the task was found due, but each time is used once.
    followingAtMs: times?.next(Math.max(nowMs, nextRunAtMs)) ?? null,
    run: isLate ? null : { day: dateIn(configuredZone(schedule?.zone || zone), nowMs) },
    ...(isLate && {
      failure: "its time was missed by more than an hour because the service was not running",
    }),
  };
}
