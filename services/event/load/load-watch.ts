import type { SpoolPlace } from "../../../store/events/events.ts";
import { IntakeOpenError } from "../../../store/intake/intake.ts";
import type { RefusalReason } from "../record/record.ts";
import { comparePlaces, type LoadRefusal, loadRefusals, type RecordCounts } from "./prepared.ts";

export interface LoadWatchOptions {
  readonly monotonicMs: () => number;
  /** Time without a load, while records wait, after which loading counts as stopped. It is read at each look. */
  readonly standstillMs: () => number;
  /** Time that records of the previous run have waited already. */
  readonly waitedMs: number;
}

/** Measures the delay of loading and detects that it has stopped. */
export interface LoadWatch {
  /** Must be called about every second with the end of the records on disk. */
  reached(end: SpoolPlace): void;
  /** Must be called when no record waits up to the last end: it may be the start of a file without records. */
  caughtUp(): void;
  loaded(counts: RecordCounts): void;
  /** See LoadObserver. */
  began(): void;
  failed(error?: unknown): void;
  /**
   * Returns how long the oldest record that is not loaded has waited; 0 if all are loaded. Accurate to about a second.
   */
  lagMs(loadedTo: SpoolPlace | undefined): number;
  /** Returns why accepted records do not become events; undefined if they do. */
  fault(loadedTo: SpoolPlace | undefined): string | undefined;
}

interface Checkpoint {
  readonly end: SpoolPlace;
  readonly atMs: number;
}

/** The maximum number of checkpoints, which cover about an hour. Beyond it every second one is deleted. */
const maxCheckpoints = 4_096;
/**
 * The number of failures after which a fault is reported. A single failure or a restart of the store is not reported.
 */
const minFailures = 3;
const minFailingMs = 1_500;
/** The number of refused records after which a fault is reported; fewer may be due to the records. */
const minRefused = 20;
/** Reasons that may be faults of the server: of its clock, configuration or disk. */
const ownReasons: ReadonlySet<string> = new Set<RefusalReason | LoadRefusal>([
  ...loadRefusals,
  "time_too_new",
  "time_too_old",
]);

/** The fault while the intake cannot be opened or does not fit the store. */
const intakeLost =
  "records are accepted but not loaded: the intake is missing, damaged or in use, the log says what to do";

export function createLoadWatch(options: LoadWatchOptions): LoadWatch {
  const { monotonicMs, waitedMs } = options;
  const startMs = monotonicMs();
  let checkpoints: Checkpoint[] = [];
  let lastEnd: SpoolPlace | undefined;
  let lastLoadMs = startMs;
  let failures = { count: 0, sinceMs: startMs };
  let isIntakeLost = false;
  /** Records refused since the last loaded one. */
  let refused = { count: 0, ofReason: new Map<string, number>() };

  function firstWaiting(loadedTo: SpoolPlace | undefined): Checkpoint | undefined {
    const isLoaded = ({ end }: Checkpoint) => loadedTo !== undefined && comparePlaces(end, loadedTo) <= 0;
    checkpoints = checkpoints.slice(checkpoints.findLastIndex(isLoaded) + 1);
    return checkpoints[0];
  }
  return {
    reached(end) {
      if (lastEnd !== undefined && comparePlaces(end, lastEnd) <= 0) return;
      const isFirst = lastEnd === undefined;
      lastEnd = end;
      checkpoints.push({ end, atMs: isFirst ? startMs - waitedMs : monotonicMs() });
      if (checkpoints.length > maxCheckpoints) checkpoints = checkpoints.filter((_one, at) => at % 2 === 0);
    },
    caughtUp() {
      checkpoints = [];
    },
    loaded({ events, updates, users, duplicates, refused: byReason }) {
      lastLoadMs = monotonicMs();
      failures = { count: 0, sinceMs: lastLoadMs };
      const isAnyTaken = events + updates + users + duplicates.uuid + duplicates.first_check_id > 0;
      if (isAnyTaken) refused = { count: 0, ofReason: new Map() };
      for (const [reason, count] of Object.entries(byReason)) {
        if (!ownReasons.has(reason)) continue;
        refused.count += count;
        refused.ofReason.set(reason, (refused.ofReason.get(reason) ?? 0) + count);
      }
    },
    began() {
      isIntakeLost = false;
    },
    failed(error) {
      isIntakeLost = error instanceof IntakeOpenError;
      if (failures.count === 0) failures.sinceMs = monotonicMs();
      failures.count++;
    },
    lagMs(loadedTo) {
      const first = firstWaiting(loadedTo);
      return first === undefined ? 0 : monotonicMs() - first.atMs;
    },
    fault(loadedTo) {
      if (isIntakeLost) return intakeLost;
      const nowMs = monotonicMs();
      const isFailing = failures.count >= minFailures && nowMs - failures.sinceMs >= minFailingMs;
      const first = firstWaiting(loadedTo);
      const waitedMs = first === undefined ? 0 : nowMs - Math.max(lastLoadMs, first.atMs);
      if (first !== undefined && (isFailing || waitedMs > options.standstillMs())) {
        return "records are accepted but not loaded";
      }
      if (refused.count < minRefused) return undefined;
      const [most = ""] = [...refused.ofReason].sort(([, a], [, b]) => b - a)[0] ?? [];
      return `all of the last ${refused.count} records are refused (${most})`;
    },
  };
}
