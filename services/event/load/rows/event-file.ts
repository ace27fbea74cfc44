import type { CheckedEvent } from "../../record/record.ts";
import type { ProjectState } from "../project-state.ts";

/** A file of events of one UTC day, or of one shard of users. */
export interface EventFile {
  readonly path: string;
  /** Number of events. */
  readonly count: number;
  /** Writes a PreparedEvent. */
  write(state: ProjectState, event: CheckedEvent, userId: number, receivedMs: number): void;
  /** Removes an unfinished event. */
  undo(): void;
  /** Returns the numbers of the properties of the events, in ascending order. */
  properties(): readonly number[];
  /** Writes the rest and closes the file. */
  close(): void;
  /** Closes the file without writing the rest. */
  abandon(): void;
}
