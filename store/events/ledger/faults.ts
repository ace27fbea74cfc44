import { LeaseLostError } from "../../leases/leases.ts";
import type { StoreFaults } from "../../sql/faults.ts";
import { EventsOpenError, EventsUnavailableError } from "../events.ts";

/** An error for an attempt to load a batch of which nothing counts, because a later attempt has begun. */
export class BatchGivenUpError extends EventsUnavailableError {
  override readonly name = "BatchGivenUpError";
}

/** The data of a project has changed since it was read. */
export class ProjectChangedError extends Error {
  override readonly name = "ProjectChangedError";
}

export const ledgerFaults: StoreFaults = {
  noun: "event ledger",
  ifNotDurable: "a crash would load records twice",
  ifDamaged: "restore it, together with the tables of events",
  OpenError: EventsOpenError,
  UnavailableError: EventsUnavailableError,
  FullError: EventsUnavailableError,
  requestErrors: [BatchGivenUpError, ProjectChangedError, LeaseLostError, RangeError],
};
