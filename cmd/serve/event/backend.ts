import type { ReadyCheck } from "../../../gateway/health/ready-checks.ts";
import type { AppendLine } from "../../../services/event/accept-records.ts";
import type { Loader } from "../../../services/event/load/load.ts";
import type { PendingRecords } from "../../../services/event/pending.ts";
import type { NameRates } from "../../../services/event/record/name-book.ts";
import type { EventStore } from "../../../store/events/events.ts";
import type { Gate } from "../lazy.ts";
import type { FindParts } from "../metrics/shared.ts";

/**
 * Where events are accepted, loaded and stored: in the data folder (`embedded.ts`), or in servers that replicas share
 * (`shared.ts`).
 */
export interface EventBackend extends AsyncDisposable {
  /** Opened by the first call that needs it. */
  readonly store: EventStore;
  /** Waits until a query can be planned. @throws EventsUnavailableError */
  readonly gate: Gate;
  /** Waits until records can be checked. @throws EventsUnavailableError */
  readonly recordGate: Gate;
  readonly append: AppendLine;
  readonly pending: (projectId: number) => PendingRecords | undefined;
  /** The rates of new names; undefined when this process does not load the project. */
  readonly rates: (projectId: number) => NameRates | undefined;
  /** Undefined while nothing is open. */
  readonly progress: () => LoadProgress | undefined;
  /** Passes while records are accepted and loaded, by part. */
  readonly checks: Readonly<Record<string, ReadyCheck>>;
  /** The servers of the store; undefined for the data folder. */
  readonly parts?: FindParts;
}

/** The records that wait to be loaded. */
export interface LoadProgress {
  readonly loader: Pick<Loader, "waitingBytes">;
  /** The delay of loading in milliseconds, see LoadWatch. */
  readonly lagMs: () => number;
  /** See EventWatch. */
  readonly recordBytes: () => number | undefined;
}
