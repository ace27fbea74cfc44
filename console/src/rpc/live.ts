import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type Fault, faultOf } from "./fault.ts";
import { followHalts, liveStatus, presentHalts } from "./live-status.ts";
import { type LiveState, nextDelayMs, type Schedule, stateOf } from "./schedule.ts";

export interface Live<T> {
  readonly data: ReadonlySignal<T | undefined>;
  readonly fault: ReadonlySignal<Fault | undefined>;
  /** Loads as soon as the least period allows. */
  refresh(): void;
}

interface LiveView<T> extends Live<T> {
  start(): () => void;
}

type Load<T> = (signal: AbortSignal) => Promise<T>;

/**
 * Loads what a page shows again and again: not while the user pauses or the page is hidden, and with growing pauses
 * after failures. The data stays on the screen when a load fails. It starts again when `key` changes, which identifies
 * the data.
 */
export function useLive<T>(key: string, load: Load<T>, periodMs = 5_000): Live<T> {
  // The key stands for what the function loads.
  const view = useMemo(() => createLive(load, periodMs), [key, periodMs]);
  useEffect(() => view.start(), [view]);
  return view;
}

interface Progress {
  failures: number;
  startedMs: number | undefined;
  isLoading: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
  updatedMs: number | undefined;
}

function createLive<T>(load: Load<T>, periodMs: number): LiveView<T> {
  const data = signal<T | undefined>(undefined);
  const fault = signal<Fault | undefined>(undefined);
  const progress: Progress = {
    failures: 0,
    startedMs: undefined,
    isLoading: false,
    timer: undefined,
    updatedMs: undefined,
  };
  let ended = new AbortController();

  const scheduleOf = (isManual: boolean): Schedule => {
    const { isPaused, isHidden } = presentHalts();
    return {
      periodMs,
      failures: isManual ? 0 : progress.failures,
      isPaused: !isManual && isPaused,
      isHidden,
      startedMs: progress.startedMs,
      nowMs: Date.now(),
    };
  };
  const plan = (isManual = false): void => {
    clearTimeout(progress.timer);
    if (ended.signal.aborted || progress.isLoading) return;
    const delay = nextDelayMs(scheduleOf(isManual));
    report(progress, stateOf(scheduleOf(false), data.peek() !== undefined), delay);
    if (delay !== undefined) progress.timer = setTimeout(() => void run(), delay);
  };
  const run = async (): Promise<void> => {
    const { signal: end } = ended;
    progress.isLoading = true;
    progress.startedMs = Date.now();
    await loadInto(load, end, progress, data, fault);
    progress.isLoading = false;
    if (!end.aborted) plan();
  };
  return {
    data,
    fault,
    refresh: () => plan(true),
    start() {
      ended = new AbortController();
      const stop = followHalts(() => plan());
      return () => {
        ended.abort();
        clearTimeout(progress.timer);
        stop();
      };
    },
  };
}

async function loadInto<T>(
  load: Load<T>,
  end: AbortSignal,
  progress: Progress,
  data: Signal<T | undefined>,
  fault: Signal<Fault | undefined>,
): Promise<void> {
  try {
    const loaded = await load(end);
    if (end.aborted) return;
    progress.failures = 0;
    progress.updatedMs = Date.now();
    data.value = loaded;
    fault.value = undefined;
  } catch (error) {
    if (end.aborted) return;
    progress.failures++;
    fault.value = faultOf(error);
  }
}

function report({ updatedMs }: Progress, state: LiveState, delay: number | undefined): void {
  liveStatus.value = { state, updatedMs, nextMs: delay === undefined ? undefined : Date.now() + delay };
}
