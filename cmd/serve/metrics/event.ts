import { Histogram, type Registry } from "../../../base/metrics/prom-client.ts";
import type { LoadObserver } from "../../../services/event/load/load.ts";
import type { CollectObserver } from "../../../services/event/observer.ts";
import type { EventLag } from "../../../services/operations/settings/settings.ts";
import type { DeadLetterObserver } from "../../../store/deadletters/deadletters.ts";
import type { QueryCounts } from "../../../store/events/events.ts";
import { type CreateCounter, counterFactory, registerGauge, single } from "./metrics.ts";

export interface EventMetrics {
  readonly collect: CollectObserver;
  readonly load: LoadCounts;
  readonly deadLetters: Pick<DeadLetterObserver, "written" | "dropped">;
  /** Counts an incomplete record that a crash left at the end of the spool. */
  torn(): void;
  compactFailed(): void;
}

type LoadCounts = Pick<LoadObserver, "loaded" | "failed">;

/** The source of records that only the loader refuses. */
const loadSource = "load";

/** Registers the metrics of records. The values of labels come from closed lists and the configuration. */
export function createEventMetrics(registry: Registry): EventMetrics {
  const counter = counterFactory(registry);
  const received = counter(
    "engage_events_received_records_total",
    "Records that are on disk and will be loaded",
    "project",
    "source",
  );
  const refused = counter(
    "engage_events_refused_records_total",
    "Records that were refused",
    "source",
    "reason",
  );
  const dropped = counter(
    "engage_events_dropped_properties_total",
    "Properties that were dropped from records",
    "source",
    "reason",
  );
  const rejected = counter(
    "engage_events_rejected_bodies_total",
    "SDK bodies that were refused as a whole",
    "reason",
  );
  const deadLettersTotal = counter(
    "engage_events_dead_letters_total",
    "Refused records by whether they were kept as dead letters",
    "outcome",
  );
  const torn = counter(
    "engage_events_torn_records_total",
    "Incomplete records at the end of the spool after a crash",
  );
  const compactErrors = counter(
    "engage_events_compact_errors_total",
    "Rounds of retention and rewriting that failed",
  );
  for (const reason of ["format", "appid"]) rejected.add(0, reason);
  for (const outcome of ["written", "dropped"]) deadLettersTotal.add(0, outcome);
  return {
    collect: {
      accepted: (projectId, source, records) => received.add(records, String(projectId), source),
      refused: (_projectId, source, reason) => refused.add(1, source, reason),
      // The loader counts those of all sources, once.
      dropped: () => {},
      rejected: (reason) => rejected.add(1, reason),
    },
    load: countLoaded(registry, counter, {
      refused: (reason, records) => refused.add(records, loadSource, reason),
      dropped: (reason, properties) => dropped.add(properties, loadSource, reason),
    }),
    deadLetters: {
      written: (count) => deadLettersTotal.add(count, "written"),
      dropped: (count) => deadLettersTotal.add(count, "dropped"),
    },
    torn: () => torn.add(1),
    compactFailed: () => compactErrors.add(1),
  };
}

interface ByReason {
  refused(reason: string, records: number): void;
  dropped(reason: string, properties: number): void;
}

function countLoaded(registry: Registry, counter: CreateCounter, byReason: ByReason): LoadCounts {
  const loaded = counter("engage_events_loaded_records_total", "Records that can be queried", "kind");
  const duplicates = counter(
    "engage_events_duplicate_records_total",
    "Records that were stored before",
    "kind",
  );
  const batches = counter("engage_events_load_batches_total", "Batches loaded into the store");
  const failures = counter("engage_events_load_failures_total", "Batches that failed and are retried");
  const forgotten = counter(
    "engage_events_forgotten_uuids_total",
    "Uuids that were forgotten before their window had passed",
  );
  for (const kind of ["event", "update", "user"]) loaded.add(0, kind);
  for (const kind of ["uuid", "first_check_id"]) duplicates.add(0, kind);
  const seconds = new Histogram({
    name: "engage_events_load_seconds",
    help: "Time that the store took to load a batch",
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const delays = new Histogram({
    name: "engage_events_queryable_delay_seconds",
    help: "Time from the receipt of the first record of a batch until the batch can be queried",
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
      // The thread counts from its own start, so a lower number means that it was restarted.
      forgotten.add(uuidsForgotten < forgottenBefore ? uuidsForgotten : uuidsForgotten - forgottenBefore);
      forgottenBefore = uuidsForgotten;
    },
    failed: () => failures.add(1),
  };
}

/** Registers the gauges of queries in progress and of queries that wait for a slot. */
export function registerQueryGauges(registry: Registry, counts: () => QueryCounts): void {
  registerGauge(registry, "engage_events_queries_running", "Queries that the event store is running", () =>
    single(counts().running),
  );
  registerGauge(
    registry,
    "engage_events_queries_waiting",
    "Queries that wait for a slot; more than events.engine.maxWaiting are refused",
    () => single(counts().waiting),
  );
}

/** Registers the gauges of records that are not loaded yet. They have no sample while the state is unknown. */
export function registerLagGauges(registry: Registry, readLag: () => Promise<EventLag | undefined>): void {
  const gauge = (name: string, help: string, measure: (lag: EventLag) => number): void =>
    registerGauge(registry, name, help, async () => {
      const lag = await readLag();
      return single(lag && measure(lag));
    });
  gauge(
    "engage_events_lag_bytes",
    "Bytes of records that cannot be queried yet",
    ({ waitingBytes }) => waitingBytes,
  );
  gauge(
    "engage_events_lag_seconds",
    "Time since the receipt of the first record that cannot be queried yet; 0 when all can",
    ({ lagMs }) => lagMs / 1_000,
  );
}
