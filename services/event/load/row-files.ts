import { join } from "node:path";
import type { ProjectRows } from "../../../store/events/events.ts";
import type { ProjectState } from "./project-state.ts";
import { RowFile } from "./row-file.ts";

/** The rows of one batch and project. */
export class ProjectFiles {
  readonly events: RowFile;
  readonly updates: RowFile;
  readonly seen: RowFile;
  readonly users: RowFile;
  readonly #projectId: number;

  /** @param prefix of the names of the files, different for each batch */
  constructor(folder: string, prefix: string, projectId: number) {
    const file = (kind: string) => new RowFile(join(folder, `${prefix}-${projectId}-${kind}.ndjson`));
    this.#projectId = projectId;
    this.events = file("events");
    this.updates = file("updates");
    this.seen = file("seen");
    this.users = file("users");
  }

  close(): void {
    for (const file of this.#all()) file.close();
  }

  /** Takes back what was written of lines that are not ended. */
  undoLines(): void {
    for (const file of this.#all()) file.undoLine();
  }

  /** After it was closed. */
  rows(state: ProjectState): ProjectRows {
    const { events, updates, seen, users } = this;
    const { events: newEvents, properties: newProperties } = state.takeNew();
    return {
      ...{ projectId: this.#projectId, newEvents, newProperties },
      ...(events.count > 0 && { eventsFile: events.path }),
      ...(updates.count > 0 && { updatesFile: updates.path }),
      ...(seen.count > 0 && { seenFile: seen.path }),
      ...(users.count > 0 && { usersFile: users.path }),
      counts: { events: events.count, updates: updates.count, seen: seen.count, users: users.count },
    };
  }

  #all(): readonly RowFile[] {
    return [this.events, this.updates, this.seen, this.users];
  }
}
