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

/** Names of a project were removed after a batch was prepared; it has to be prepared again. */
export class NamesRemovedError extends Error {
  override readonly name = "NamesRemovedError";
}

export function namesRemoved(projectId: number): NamesRemovedError {
  const words = "were removed while a batch was prepared, which is prepared again";
  return new NamesRemovedError(`names of project ${projectId} ${words}`);
}

/** The database can't be reached at the moment. */
class LedgerUnavailableError extends EventsUnavailableError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, { ...options, retryAfterMs });
  }
}

/** A database which restarts is available again after some seconds. */
const retryAfterMs = 1_000;

export const ledgerFaults: StoreFaults = {
  noun: "event ledger",
  ifNotDurable: "a crash would load records twice",
  ifDamaged: "restore it, together with the tables of events",
  OpenError: EventsOpenError,
  UnavailableError: LedgerUnavailableError,
  FullError: LedgerUnavailableError,
  requestErrors: [BatchGivenUpError, NamesRemovedError, ProjectChangedError, LeaseLostError, RangeError],
};
