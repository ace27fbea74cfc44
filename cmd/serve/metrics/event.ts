import { Histogram, type Registry } from "prom-client";
import { registerComputed } from "../../../gateway/metrics/computed-metric.ts";
import type { LoadObserver, LoadStatus } from "../../../services/event/load/loader.ts";
import type { CollectObserver } from "../../../services/event/observer.ts";
import type { DeadLetterObserver } from "../../../store/deadletters/deadletters.ts";
import type { QueryCounts } from "../../../store/events/events.ts";
import { createSums } from "./sums.ts";

export interface EventMetrics {
  readonly collect: CollectObserver;
  readonly load: LoadCounts;
  readonly deadLetters: Pick<DeadLetterObserver, "written" | "dropped">;
  /** An incomplete record that a crash left at the end of the spool. */
  torn(): void;
  compactFailed(): void;
}

type LoadCounts = Pick<LoadObserver, "loaded" | "failed">;

/** What a record comes from when it is refused only by the loader. */
const loadSource = "load";

/** Registers what is counted of records. Labels come from closed lists and the configuration. */
export function createEventMetrics(registry: Registry): EventMetrics {
  const sums = (name: string, help: string, ...labels: readonly string[]) =>
    createSums(registry, { name: `engage_events_${name}`, help, labels });
  const received = sums(
    "received_records_total",
    "Records that are on disk, to be loaded",
    "project",
    "source",
  );
  const refused = sums("refused_records_total", "Records that were refused", "source", "reason");
  const dropped = sums("dropped_properties_total", "Properties dropped of records", "source", "reason");
  const rejected = sums("rejected_bodies_total", "Bodies of SDKs that were refused as a whole", "reason");
  const letters = sums("dead_letters_total", "Refused records by whether they were kept", "outcome");
  const torn = sums("torn_records_total", "Incomplete records at the end of the spool after a crash");
  const compactErrors = sums("compact_errors_total", "Rounds of retention and rewriting that failed");
  for (const reason of ["format", "appid"]) rejected.add(0, reason);
  for (const outcome of ["written", "dropped"]) letters.add(0, outcome);
  return {
    collect: {
      taken: (projectId, source, records) => received.add(records, String(projectId), source),
      refused: (_projectId, source, reason) => refused.add(1, source, reason),
      // Of other sources the loader counts them, once.
      dropped: () => {},
      rejected: (reason) => rejected.add(1, reason),
    },
    load: countLoaded(registry, sums, {
      refused: (reason, records) => refused.add(records, loadSource, reason),
      dropped: (reason, properties) => dropped.add(properties, loadSource, reason),
    }),
    deadLetters: {
      written: (count) => letters.add(count, "written"),
      dropped: (count) => letters.add(count, "dropped"),
    },
    torn: () => torn.add(1),
    compactFailed: () => compactErrors.add(1),
  };
}

type MakeSums = (name: string, help: string, ...labels: readonly string[]) => ReturnType<typeof createSums>;

interface ByReason {
  refused(reason: string, records: number): void;
  dropped(reason: string, properties: number): void;
}

function countLoaded(registry: Registry, sums: MakeSums, byReason: ByReason): LoadCounts {
  const loaded = sums("loaded_records_total", "Records that can be queried", "kind");
  const duplicates = sums("duplicate_records_total", "Records that were there before", "kind");
  const batches = sums("load_batches_total", "Batches loaded into the store");
  const failures = sums("load_failures_total", "Batches that failed, and are tried again");
  const forgotten = sums("forgotten_uuids_total", "Uuids forgotten before their window had passed");
  for (const kind of ["event", "update", "user"]) loaded.add(0, kind);
  for (const kind of ["uuid", "first_check_id"]) duplicates.add(0, kind);
  const seconds = new Histogram({
    name: "engage_events_load_seconds",
    help: "Time that the store took for a batch",
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const delays = new Histogram({
    name: "engage_events_queryable_delay_seconds",
    help: "Of each batch, from the receipt of its first record until it can be queried",
    buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1_800],
    registers: [registry],
  });
  let forgottenBefore = 0;
  return {
    loaded({ counts, uuidsForgotten }, { loadMs, delayMs }) {
      batches.add(1);
      seconds.observe(loadMs / 1_000);
      delays.observe(delayMs / 1_000);
      loaded.add(counts.events, "event");
      loaded.add(counts.updates, "update");
      loaded.add(counts.users, "user");
      for (const [kind, count] of Object.entries(counts.duplicates)) duplicates.add(count, kind);
      for (const [reason, count] of Object.entries(counts.refused)) byReason.refused(reason, count);
      for (const [reason, count] of Object.entries(counts.dropped)) byReason.dropped(reason, count);
      // The thread counts from its own start.
      forgotten.add(uuidsForgotten < forgottenBefore ? uuidsForgotten : uuidsForgotten - forgottenBefore);
      forgottenBefore = uuidsForgotten;
    },
    failed: () => failures.add(1),
  };
}

/** Gauges of queries that the store answers and of those that wait for their turn. */
export function registerQueryGauges(registry: Registry, counts: () => QueryCounts): void {
  const gauge = (name: keyof QueryCounts, help: string): void =>
    registerComputed(registry, {
      name: `engage_events_queries_${name}`,
      help,
      type: "gauge",
      samples: () => [{ labels: {}, value: counts()[name] }],
    });
  gauge("running", "Queries that the store of events is working on");
  gauge(
    "waiting",
    "Queries that wait for their turn; further ones than events.engine.maxWaiting are refused",
  );
}

/** Gauges of what is still to be loaded; left out while it is not known. */
export function registerLagGauges(
  registry: Registry,
  loading: () =>
    | { readonly loader: { status(): Promise<LoadStatus> }; readonly lagMs: () => number }
    | undefined,
): void {
  type Open = NonNullable<ReturnType<typeof loading>>;
  const gauge = (name: string, help: string, measure: (known: LoadStatus, open: Open) => number): void =>
    registerComputed(registry, {
      name,
      help,
      type: "gauge",
      async samples() {
        const open = loading();
        const known = await open?.loader.status().catch(() => undefined);
        return open === undefined || known === undefined ? [] : [{ labels: {}, value: measure(known, open) }];
      },
    });
  gauge(
    "engage_events_lag_bytes",
    "Bytes of records that can't be queried yet",
    (known) => known.waitingBytes,
  );
  gauge(
    "engage_events_lag_seconds",
    "Time since the receipt of the first record that can't be queried yet; 0 when all can",
    ({ waitingBytes }, { lagMs }) => (waitingBytes === 0 ? 0 : lagMs() / 1_000),
  );
}
