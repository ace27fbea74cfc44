import type { Executor } from "../../sql/operations.ts";
import type * as port from "../inbox.ts";
import type { InboxOperations } from "./sql.ts";

export interface InboxExecutor extends Executor<InboxOperations> {
  /** @throws InboxFullError when there is no space for a body of that size */
  admit(bodyBytes: number): void;
  /** Measures the sizes; rejects when the store is unavailable. */
  measure(signal: AbortSignal | undefined): Promise<Pick<port.InboxHealth, "usedBytes" | "freeBytes">>;
}

export interface SqlInboxOptions {
  readonly retention: () => port.InboxRetention;
  /** Milliseconds since 1970, for times of display. */
  readonly now: () => number;
  /** The clock of leases, waits, ages and retention. */
  readonly clockMs: () => number;
  /** Resolves when the store can be used; returns undefined when it already can. */
  readonly prepare?: () => Promise<void> | undefined;
  /** Saves the store's clock; undefined where the database has a clock. */
  readonly saveClock?: () => Promise<unknown>;
  /**
   * The maximum bytes of bodies which wait to be written. More is refused, so that memory stays bounded
   * when the store is slow.
   */
  readonly maxQueuedBytes: number;
}

export const defaultMaxQueuedBytes = 67_108_864;
