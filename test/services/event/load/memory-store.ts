import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
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

/** An event store that keeps rows as they were loaded, and survives the crashes of a test. */
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
      // The rows are read before anything changes, so that a batch is loaded as a whole or not at all.
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
      return {
        events: added.reduce((sum, { events }) => sum + events.length, 0),
        users: added.reduce((sum, { users }) => sum + users.length, 0),
      };
    },
  };
}

function withNew(schema: ProjectSchema, { newEvents, newProperties }: ProjectRows): ProjectSchema {
  return {
    version: schema.version + 1,
    events: withNamed(schema.events, newEvents, ({ name }) => name),
    properties: withNamed(schema.properties, newProperties, ({ table, name }) => `${table}:${name}`),
  };
}

/** Adds unknown items. Returns the same map if all are known. */
function withNamed<T extends { readonly number: number }>(
  known: ReadonlyMap<string, T>,
  added: readonly T[],
  keyOf: (one: T) => string,
): ReadonlyMap<string, T> {
  const fresh = added.filter((one) => !isDeepStrictEqual(known.get(keyOf(one)), one));
  const numbers = new Set([...known.values()].map(({ number }) => number));
  for (const one of fresh) {
    if (one.number < 1 || known.has(keyOf(one)) || numbers.has(one.number))
      throw new Error(`"${keyOf(one)}" can't have the number ${one.number}`);
    numbers.add(one.number);
  }
  return fresh.length === 0 ? known : new Map([...known, ...fresh.map((one) => [keyOf(one), one] as const)]);
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
