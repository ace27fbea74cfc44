import { join } from "node:path";
import { dayMs } from "../../../base/time/units.ts";
import type { ProjectRows } from "../../../store/events/events.ts";
import { createDayFile, type DayFile, dayRows } from "./day-file.ts";
import type { ProjectState } from "./project-state.ts";
import { RowFile } from "./row-file.ts";

/** The rows of one batch and project. */
export class ProjectFiles {
  readonly updates: RowFile;
  readonly seen: RowFile;
  readonly users: RowFile;
  readonly #projectId: number;
  readonly #file: (kind: string) => string;
  readonly #days = new Map<number, DayFile>();

  /** @param prefix of the names of the files, different for each batch */
  constructor(folder: string, prefix: string, projectId: number) {
    this.#projectId = projectId;
    this.#file = (kind) => join(folder, `${prefix}-${projectId}-${kind}.ndjson`);
    this.updates = new RowFile(this.#file("updates"));
    this.seen = new RowFile(this.#file("seen"));
    this.users = new RowFile(this.#file("users"));
  }

  /** Returns the file of the UTC day of a time. */
  eventsAt(timeMs: number): DayFile {
    const day = Math.floor(timeMs / dayMs);
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const file = createDayFile(this.#file(`day${day}`));
    this.#days.set(day, file);
    return file;
  }

  close(): void {
    for (const file of this.#all()) file.close();
  }

  abandon(): void {
    for (const file of this.#all()) file.abandon();
  }

  /** Removes the bytes of unfinished lines. */
  undoLines(): void {
    for (const file of this.#all()) file.undoLine();
  }

  /** Returns the rows of closed files. */
  rows(state: ProjectState): ProjectRows {
    const { updates, seen, users } = this;
    const days = Array.from(this.#days, ([day, file]) => dayRows(day, file)).filter(
      ({ events }) => events > 0,
    );
    const { events: newEvents, properties: newProperties } = state.takeNew();
    return {
      projectId: this.#projectId,
      newEvents,
      newProperties,
      ...(days.length > 0 && { days }),
      ...(updates.count > 0 && { updatesFile: updates.path }),
      ...(seen.count > 0 && { seenFile: seen.path }),
      ...(users.count > 0 && { usersFile: users.path }),
      counts: {
        events: days.reduce((sum, { events }) => sum + events, 0),
        updates: updates.count,
        seen: seen.count,
        users: users.count,
      },
    };
  }

  #all(): readonly RowFile[] {
    return [...Array.from(this.#days.values(), ({ rows }) => rows), this.updates, this.seen, this.users];
  }
}
