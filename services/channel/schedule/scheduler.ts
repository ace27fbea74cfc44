import type { ChannelStore, DueClaim, DueTask } from "../../../store/channels/channels.ts";
import type { Projects } from "../ports.ts";
import { decodeTask } from "../tasks/codec.ts";
import { compileTimes, dayIn } from "./schedule.ts";

export interface SchedulerOptions {
  readonly store: Pick<ChannelStore, "dueTasks" | "claimDueTask" | "channel">;
  readonly projects: Pick<Projects, "zoneOf">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Resolves after so many milliseconds, or when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly observer: ScheduleObserver;
}

export interface ScheduleObserver {
  /** A time of a task was taken; `missed`: no run was begun, because it came too late or one was under way. */
  taken(taskId: string, outcome: "begun" | "missed"): void;
  /** Its definition can't be read, so it has no times any more. */
  refused(taskId: string, error: unknown): void;
  failed(error: unknown): void;
}

export interface Scheduler extends AsyncDisposable {
  /** A task was made: its time may be the next. */
  wake(): void;
}

/** A time that was missed for so long is made up for by one run; an older one passes. */
const catchUpMs = 3_600_000;
/** Other replicas make tasks too. */
const lookMs = 30_000;
const dueAtOnce = 100;
/** A store that is away is asked again after this. */
const retryMs = 5_000;
const unreadable = "its definition cannot be read";

/** Begins runs at their times, each by one replica. */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const stop = new AbortController();
  let pause = new AbortController();
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      pause = new AbortController();
      const waitMs = await look(options, stop.signal);
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

/** Takes what is due; answers how long there is nothing to do. */
async function look(options: SchedulerOptions, signal: AbortSignal): Promise<number> {
  const { store, now, observer } = options;
  try {
    const { due, nextAtMs } = await store.dueTasks(dueAtOnce, { signal });
    for (const task of due) await take(options, task);
    if (due.length === dueAtOnce) return 0;
    return Math.max(0, Math.min(lookMs, (nextAtMs ?? Number.POSITIVE_INFINITY) - now()));
  } catch (error) {
    if (signal.aborted) return 0;
    observer.failed(error);
    return retryMs;
  }
}

async function take(options: SchedulerOptions, due: DueTask): Promise<void> {
  const { store, projects, now, observer } = options;
  const { taskId, nextRunAtMs } = due;
  const channel = await store.channel(due.channelId);
  const zone = projects.zoneOf(BigInt(channel?.projectId ?? 0)) ?? "UTC";
  let claim: DueClaim;
  try {
    claim = claimOf(due, zone, now());
  } catch (error) {
    // One such task must not hold up the others.
    await store.claimDueTask({ taskId, nextRunAtMs, followingAtMs: null, run: null, failure: unreadable });
    observer.refused(taskId, error);
    return;
  }
  const result = await store.claimDueTask(claim);
  if (result.kind === "claimed") observer.taken(taskId, result.run === null ? "missed" : "begun");
}

/** @throws when the definition is not what this program writes */
function claimOf(due: DueTask, zone: string, nowMs: number): DueClaim {
  const { taskId, nextRunAtMs } = due;
  const { schedule } = decodeTask(due);
  const times = schedule && compileTimes(schedule, zone);
  const latestMs = Math.max(nextRunAtMs, times?.last(nowMs) ?? nextRunAtMs);
  const isLate = nowMs - latestMs > catchUpMs;
  return {
    taskId,
    nextRunAtMs,
    // The clock may have been set back since the task was found due: a time is taken once.
    followingAtMs: times?.next(Math.max(nowMs, nextRunAtMs)) ?? null,
    run: isLate ? null : { day: dayIn(schedule?.zone || zone, nowMs) },
    ...(isLate && { failure: "its time was missed by more than an hour, the service was not running" }),
  };
}
