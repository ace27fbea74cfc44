import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ProjectRows } from "../../../store/events/events.ts";
import type { ProjectState } from "./project-state.ts";

type Kind = "events" | "updates" | "users";

/** Characters that are gathered before they are written. */
const pieceLength = 262_144;

/** A file of lines, made when the first one comes. */
export class RowFile {
  readonly path: string;
  #count = 0;
  #text = "";
  #file: number | undefined;

  constructor(path: string) {
    this.path = path;
  }

  get count(): number {
    return this.#count;
  }

  /** @param line with its LF */
  write(line: string): void {
    this.#count++;
    this.#text += line;
    if (this.#text.length > pieceLength) this.#flush();
  }

  /** The file is read in this run only, and made anew after a crash: so it is not synced. */
  close(): void {
    if (this.#text !== "") this.#flush();
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #flush(): void {
    this.#file ??= openSync(this.path, "w", 0o600);
    const bytes = Buffer.from(this.#text);
    this.#text = "";
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(this.#file, bytes, offset);
  }
}

/** The rows of one batch and project. */
export class ProjectFiles {
  readonly events: RowFile;
  readonly updates: RowFile;
  readonly users: RowFile;
  readonly #projectId: number;

  /** @param prefix of the names of the files, different for each batch */
  constructor(folder: string, prefix: string, projectId: number) {
    const file = (kind: Kind) => new RowFile(join(folder, `${prefix}-${projectId}-${kind}.ndjson`));
    this.#projectId = projectId;
    this.events = file("events");
    this.updates = file("updates");
    this.users = file("users");
  }

  close(): void {
    for (const file of [this.events, this.updates, this.users]) file.close();
  }

  /** After it was closed. */
  rows(state: ProjectState): ProjectRows {
    const { events, updates, users } = this;
    const { events: newEvents, properties: newProperties } = state.takeNew();
    return {
      ...{ projectId: this.#projectId, newEvents, newProperties },
      ...(events.count > 0 && { eventsFile: events.path }),
      ...(updates.count > 0 && { updatesFile: updates.path }),
      ...(users.count > 0 && { usersFile: users.path }),
      counts: { events: events.count, updates: updates.count, users: users.count },
    };
  }
}
