import { join } from "node:path";
import { dayMs } from "../../../../base/time/units.ts";
import type { DayRows, EventFormat, ProjectRows, ShardRows } from "../../../../store/events/events.ts";
import type { ProjectState } from "../project-state.ts";
import { EventColumns } from "./event-columns.ts";
import type { EventFile } from "./event-file.ts";
import { EventLines } from "./event-lines.ts";
import { RowFile } from "./row-file.ts";

/** How the events of a batch are divided into files. */
export interface EventDivision {
  /** The format of the file of each UTC day. Default: lines. */
  readonly eventFormat?: EventFormat | undefined;
  /** Returns the shard of a user, from 0 on. Then the events of each shard are columns of one file instead. */
  readonly shardOf?: ((userId: number) => number) | undefined;
}

/** The rows of one batch and project. */
export class ProjectFiles {
  readonly updates: RowFile;
  readonly seen: RowFile;
  readonly users: RowFile;
  readonly #projectId: number;
  readonly #format: EventFormat;
  readonly #shardOf: EventDivision["shardOf"];
  readonly #pathOf: (kind: string) => string;
  readonly #days = new Map<number, EventFile>();
  readonly #shards = new Map<number, EventColumns>();

  /** @param prefix of the names of the files, different for each batch */
  constructor(
    folder: string,
    prefix: string,
    projectId: number,
    { eventFormat = "lines", shardOf }: EventDivision,
  ) {
    this.#projectId = projectId;
    this.#format = eventFormat;
    this.#shardOf = shardOf;
    this.#pathOf = (kind) => join(folder, `${prefix}-${projectId}-${kind}`);
    const rowFile = (kind: string): RowFile => new RowFile(`${this.#pathOf(kind)}.ndjson`);
    this.updates = rowFile("updates");
    this.seen = rowFile("seen");
    this.users = rowFile("users");
  }

  /** Returns the file of an event: that of its user's shard, or of the UTC day of its time. */
  eventsOf(timeMs: number, userId: number): EventFile {
    if (this.#shardOf !== undefined) return this.#shard(this.#shardOf(userId));
    const day = Math.floor(timeMs / dayMs);
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const file = createDayFile(this.#pathOf(`day${day}`), this.#format);
    this.#days.set(day, file);
    return file;
  }

  /** As `eventsOf`. Events must be written as columns. */
  columnsOf(timeMs: number, userId: number): EventColumns {
    const file = this.eventsOf(timeMs, userId);
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
    for (const file of this.#events()) file.undo();
    for (const file of [this.updates, this.seen, this.users]) file.undoLine();
  }

  /** Returns the rows of closed files. */
  rows(state: ProjectState): ProjectRows {
    const { updates, seen, users } = this;
    const days = withEvents(this.#days).map(([day, file]) => dayRows(day, this.#format, file));
    const shards = withEvents(this.#shards).map(([shard, file]) => shardRows(shard, file));
    const { events: newEvents, properties: newProperties } = state.takeNew();
    return {
      projectId: this.#projectId,
      newEvents,
      newProperties,
      ...(days.length > 0 && { days }),
      ...(shards.length > 0 && { shards }),
      ...(updates.count > 0 && { updatesFile: updates.path }),
      ...(seen.count > 0 && { seenFile: seen.path }),
      ...(users.count > 0 && { usersFile: users.path }),
      counts: {
        events: this.#events().reduce((sum, { count }) => sum + count, 0),
        updates: updates.count,
        seen: seen.count,
        users: users.count,
      },
    };
  }

  #shard(shard: number): EventColumns {
    const known = this.#shards.get(shard);
    if (known !== undefined) return known;
    const file = new EventColumns(`${this.#pathOf(`shard${shard}`)}.parquet`);
    this.#shards.set(shard, file);
    return file;
  }

  #events(): readonly EventFile[] {
    return [...this.#days.values(), ...this.#shards.values()];
  }

  #all(): readonly Pick<EventFile, "close" | "abandon">[] {
    return [...this.#events(), this.updates, this.seen, this.users];
  }
}

/** @param path without the ending */
function createDayFile(path: string, format: EventFormat): EventFile {
  return format === "columns" ? new EventColumns(`${path}.parquet`) : new EventLines(`${path}.ndjson`);
}

/** A file whose only event was taken back is empty. */
function withEvents<F extends EventFile>(files: ReadonlyMap<number, F>): (readonly [number, F])[] {
  return [...files].filter(([, { count }]) => count > 0);
}

function dayRows(day: number, format: EventFormat, file: EventFile): DayRows {
  return { day, file: file.path, format, events: file.count, properties: file.properties() };
}

function shardRows(shard: number, file: EventColumns): ShardRows {
  return { shard, file: file.path, days: file.days(), properties: file.properties() };
}
