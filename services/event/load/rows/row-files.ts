import { join } from "node:path";
import { dayMs } from "../../../../base/time/units.ts";
import type { DayRows, EventFormat, ProjectRows } from "../../../../store/events/events.ts";
import type { ProjectState } from "../project-state.ts";
import type { DayFile } from "./day-file.ts";
import { EventColumns } from "./event-columns.ts";
import { EventLines } from "./event-lines.ts";
import { RowFile } from "./row-file.ts";

/** The rows of one batch and project. */
export class ProjectFiles {
  readonly updates: RowFile;
  readonly seen: RowFile;
  readonly users: RowFile;
  readonly #projectId: number;
  readonly #format: EventFormat;
  readonly #pathOf: (kind: string) => string;
  readonly #days = new Map<number, DayFile>();

  /** @param prefix of the names of the files, different for each batch */
  constructor(folder: string, prefix: string, projectId: number, format: EventFormat) {
    this.#projectId = projectId;
    this.#format = format;
    this.#pathOf = (kind) => join(folder, `${prefix}-${projectId}-${kind}`);
    const rowFile = (kind: string): RowFile => new RowFile(`${this.#pathOf(kind)}.ndjson`);
    this.updates = rowFile("updates");
    this.seen = rowFile("seen");
    this.users = rowFile("users");
  }

  /** Returns the file of the UTC day of a time. */
  eventsAt(timeMs: number): DayFile {
    const day = Math.floor(timeMs / dayMs);
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const file = createDayFile(this.#pathOf(`day${day}`), this.#format);
    this.#days.set(day, file);
    return file;
  }

  /** Returns the columns of the UTC day of a time. The format of events must be columns. */
  columnsAt(timeMs: number): EventColumns {
    const file = this.eventsAt(timeMs);
    if (!(file instanceof EventColumns)) throw new TypeError("events are written as lines");
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
    for (const file of this.#days.values()) file.undo();
    for (const file of [this.updates, this.seen, this.users]) file.undoLine();
  }

  /** Returns the rows of closed files. */
  rows(state: ProjectState): ProjectRows {
    const { updates, seen, users } = this;
    const days = Array.from(this.#days, ([day, file]) => dayRows(day, this.#format, file)).filter(
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

  #all(): readonly Pick<DayFile, "close" | "abandon">[] {
    return [...this.#days.values(), this.updates, this.seen, this.users];
  }
}

/** @param path without the ending */
function createDayFile(path: string, format: EventFormat): DayFile {
  return format === "columns" ? new EventColumns(`${path}.parquet`) : new EventLines(`${path}.ndjson`);
}

function dayRows(day: number, format: EventFormat, file: DayFile): DayRows {
  return { day, file: file.path, format, events: file.count, properties: file.properties() };
}
