import { readFileSync } from "node:fs";
import {
  type EventStore,
  emptySchema,
  type LoadBatch,
  type LoadCounts,
  type PreparedEvent,
  type PreparedUser,
  type ProjectRows,
  type ProjectSchema,
  type SeenUser,
  type SpoolPlace,
} from "../../../../store/events/events.ts";

type StoredRows = {
  readonly events: PreparedEvent[];
  readonly seen: SeenUser[];
  readonly users: PreparedUser[];
};

/** A store of events that keeps rows as they came, and outlives the crashes of a test. */
export interface MemoryStore extends Pick<EventStore, "schema" | "loadedTo" | "load"> {
  readonly rows: StoredRows;
  readonly loads: LoadBatch[];
}

export function createMemoryStore(): MemoryStore {
  const rows: StoredRows = { events: [], seen: [], users: [] };
  const loads: LoadBatch[] = [];
  const schemas = new Map<number, ProjectSchema>();
  let place: SpoolPlace | undefined;
  return {
    rows,
    loads,
    schema: (projectId) => schemas.get(projectId) ?? emptySchema,
    loadedTo: () => place,
    async load(batch): Promise<LoadCounts> {
      if (place !== undefined && !isAfter(batch.to, place)) return { events: 0, users: 0 };
      // Read before anything changes: all of a batch or nothing.
      const added = batch.projects.map((project) => ({
        events: (project.days ?? []).flatMap(({ file }) => linesOf<PreparedEvent>(file)),
        seen: linesOf<SeenUser>(project.seenFile),
        users: linesOf<PreparedUser>(project.usersFile),
        schema: withNew(schemas.get(project.projectId) ?? emptySchema, project),
        projectId: project.projectId,
      }));
      for (const { events, seen, users, schema, projectId } of added) {
        rows.events.push(...events);
        rows.seen.push(...seen);
        rows.users.push(...users);
        schemas.set(projectId, schema);
      }
      place = batch.to;
      loads.push(batch);
      return { events: rows.events.length, users: rows.users.length };
    },
  };
}

function withNew(schema: ProjectSchema, { newEvents, newProperties }: ProjectRows): ProjectSchema {
  const properties = new Map(schema.properties);
  for (const one of newProperties) {
    const known = [...properties.values()].some(({ number }) => number === one.number);
    if (known) throw new Error(`property number ${one.number} is given twice`);
    properties.set(`${one.table}:${one.name}`, one);
  }
  const events = new Map([...schema.events, ...newEvents.map((one) => [one.name, one] as const)]);
  return { version: schema.version + 1, events, properties };
}

function linesOf<T>(file: string | undefined): T[] {
  if (file === undefined) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}

function isAfter(a: SpoolPlace, b: SpoolPlace): boolean {
  return a.number > b.number || (a.number === b.number && a.offset > b.offset);
}
