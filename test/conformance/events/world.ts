import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { shardOfUser } from "../../../store/events/clickhouse/shards.ts";
import type {
  DayRows,
  EventName,
  EventStore,
  ExportedRecord,
  LoadBatch,
  PreparedEvent,
  PreparedUpdate,
  PreparedUser,
  ProjectRows,
  Property,
  SeenUser,
  SpoolPlace,
} from "../../../store/events/events.ts";
import { writeColumns } from "./columns.ts";

export interface StoreLimits {
  readonly maxQueries: number;
  readonly maxWaiting: number;
}

/** The part of a store that loads batches. */
export type LoadingStore = AsyncDisposable & Pick<EventStore, "schema" | "loadedTo" | "load">;

/** A place where one store lives, which can be opened again after it was closed. */
export interface EventsWorld<S extends LoadingStore = EventStore> extends AsyncDisposable {
  /** For files of batches. */
  readonly folder: string;
  /** The number of shards, for a store whose batches have columns of each shard. */
  readonly shardCount?: number;
  /** @param now the time of exported users */
  open(limits?: StoreLimits): Promise<S>;
}

/** The time that exported users get. */
export const exportMs = Date.UTC(2026, 5, 1);

export type CreateEventsWorld<S extends LoadingStore = EventStore> = () => Promise<EventsWorld<S>>;

export const buy: EventName = { name: "buy", number: 1 };
export const login: EventName = { name: "Login", number: 2 };

const eventTable = { table: "event" } as const;
const userTable = { table: "user" } as const;

/** Properties of all types, by what the tests call them. */
export const properties = {
  price: { ...eventTable, number: 1, name: "price", type: "number" },
  city: { ...eventTable, number: 2, name: "#city", type: "text" },
  at: { ...eventTable, number: 3, name: "at", type: "time" },
  gift: { ...eventTable, number: 4, name: "gift", type: "boolean" },
  tags: { ...eventTable, number: 5, name: "tags", type: "list" },
  address: { ...eventTable, number: 6, name: "address", type: "object" },
  zip: { ...eventTable, number: 7, name: "address.zip", type: "text" },
  moved: { ...eventTable, number: 8, name: "address.moved", type: "time" },
  items: { ...eventTable, number: 9, name: "items", type: "object_group" },
  itemName: { ...eventTable, number: 10, name: "items.name", type: "text", group: "items" },
  itemCount: { ...eventTable, number: 11, name: "items.count", type: "number", group: "items" },
  level: { ...userTable, number: 21, name: "level", type: "number" },
  nick: { ...userTable, number: 22, name: "nick", type: "text" },
  born: { ...userTable, number: 23, name: "born", type: "time" },
  badges: { ...userTable, number: 24, name: "badges", type: "list" },
  home: { ...userTable, number: 25, name: "home", type: "object" },
  homeCity: { ...userTable, number: 26, name: "home.city", type: "text" },
  homeFloor: { ...userTable, number: 27, name: "home.floor", type: "number" },
  paying: { ...userTable, number: 28, name: "paying", type: "boolean" },
} as const satisfies Record<string, Property>;

/** The vocabulary that the store needs before any of these is loaded. */
export const vocabulary = { newEvents: [buy, login], newProperties: Object.values(properties) } as const;

export const dayMs = 86_400_000;
/** Noon of 2026-01-05 UTC. */
export const noonMs = Date.UTC(2026, 0, 5, 12);

export function eventOf(more: Partial<PreparedEvent> = {}): PreparedEvent {
  return { e: buy.number, t: noonMs, r: noonMs, u: 1, a: "ada", p: {}, ...more };
}

export function updateOf(more: Partial<PreparedUpdate> = {}): PreparedUpdate {
  return { ...eventOf(more), i: "first", o: "update", ...more };
}

/** An operation, whose user is known by these ids from then on. */
export type UserRow = Omit<PreparedUser, "o"> &
  Omit<SeenUser, "u"> & { readonly o: PreparedUser["o"] | "seen" };

/** @param o `seen` does nothing but make the ids known */
export function userOf<O extends UserRow["o"]>(
  o: O,
  more: Partial<UserRow> = {},
): UserRow & { readonly o: O } {
  return { u: 1, p: {}, ...more, o };
}

const isSeen = ({ o, a, d }: UserRow): boolean => o === "seen" || a !== undefined || d !== undefined;

export interface Rows {
  readonly projectId?: number;
  readonly newEvents?: readonly EventName[];
  readonly newProperties?: readonly Property[];
  readonly events?: readonly PreparedEvent[];
  readonly updates?: readonly PreparedUpdate[];
  readonly users?: readonly UserRow[];
}

/** Batches that follow each other in a spool. */
export class Batches {
  readonly #folder: string;
  readonly #shardCount: number | undefined;
  /** Properties by project and number, for the types of columns. */
  readonly #properties = new Map<number, Map<number, Property>>();
  #files = 0;
  #place: SpoolPlace = { number: 0, offset: 0 };

  /** @param shardCount divides events among shards, as columns; default: lines of each day */
  constructor(folder: string, shardCount?: number) {
    this.#folder = folder;
    this.#shardCount = shardCount;
  }

  /** The next batch, its files written. */
  async next(...projects: readonly Rows[]): Promise<LoadBatch> {
    const from = this.#place;
    this.#place = { number: from.number, offset: from.offset + 100 };
    return { from, to: this.#place, projects: await Promise.all(projects.map((rows) => this.#write(rows))) };
  }

  /** The batches after this come from the next file of the spool. */
  nextFile(): void {
    this.#place = { number: this.#place.number + 1, offset: 0 };
  }

  async #write({
    projectId = 1,
    events = [],
    updates = [],
    users = [],
    ...more
  }: Rows): Promise<ProjectRows> {
    const seen = users.filter(isSeen).map(({ u, a, d }) => ({ u, a, d }));
    const operations = users.filter(({ o }) => o !== "seen").map(({ u, o, p }) => ({ u, o, p }));
    const known = this.#properties.get(projectId) ?? new Map<number, Property>();
    this.#properties.set(projectId, known);
    for (const one of more.newProperties ?? []) known.set(one.number, one);
    return {
      projectId,
      newEvents: [],
      newProperties: [],
      ...more,
      ...(events.length > 0 && (await this.#writeEvents(events, known))),
      ...(updates.length > 0 && { updatesFile: await this.#file(updates) }),
      ...(seen.length > 0 && { seenFile: await this.#file(seen) }),
      ...(operations.length > 0 && { usersFile: await this.#file(operations) }),
      counts: {
        events: events.length,
        updates: updates.length,
        seen: seen.length,
        users: operations.length,
      },
    };
  }

  async #writeEvents(
    events: readonly PreparedEvent[],
    known: ReadonlyMap<number, Property>,
  ): Promise<Pick<ProjectRows, "days" | "shards">> {
    const count = this.#shardCount;
    if (count === undefined) return { days: await writeDays(events, (lines) => this.#file(lines)) };
    const byShard = Map.groupBy(events, ({ u }) => shardOfUser(u, count));
    const shards = Array.from(byShard, ([shard, rows]) => {
      const file = join(this.#folder, `it's "${++this.#files}".parquet`);
      const properties = propertiesOf(rows);
      writeColumns(
        file,
        rows,
        properties.map((number) => known.get(number)!),
      );
      const byDay = Map.groupBy(rows, ({ t }) => Math.floor(t / dayMs));
      const days = new Map(Array.from(byDay, ([day, { length }]) => [day, length]));
      return { shard, file, days, properties };
    });
    return { shards };
  }

  async #file(lines: readonly object[]): Promise<string> {
    const path = join(this.#folder, `it's "${++this.#files}".ndjson`);
    await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return path;
  }
}

/** @param write of lines to a file of their own, of which it tells the path */
export async function writeDays(
  events: readonly PreparedEvent[],
  write: (lines: readonly PreparedEvent[]) => Promise<string>,
): Promise<readonly DayRows[]> {
  const byDay = Map.groupBy(events, ({ t }) => Math.floor(t / dayMs));
  const files = Array.from(byDay, async ([day, lines]) => {
    return { day, file: await write(lines), events: lines.length, properties: propertiesOf(lines) };
  });
  return Promise.all(files);
}

/** Returns the numbers of the properties of events, each once. */
function propertiesOf(events: readonly PreparedEvent[]): readonly number[] {
  return [...new Set(events.flatMap(({ p }) => Object.keys(p).map(Number)))];
}

/** A store with the vocabulary known to project 1, and the batches that follow. */
export interface OpenedStore<S extends LoadingStore = EventStore> extends AsyncDisposable {
  readonly store: S;
  readonly batches: Batches;
  /** Closes the store and opens it again. */
  reopen(): Promise<S>;
  load(...projects: readonly Rows[]): ReturnType<EventStore["load"]>;
}

export async function openStore<S extends LoadingStore>(
  create: CreateEventsWorld<S>,
  limits?: StoreLimits,
): Promise<OpenedStore<S>> {
  const world = await create();
  const batches = new Batches(world.folder, world.shardCount);
  let store = await world.open(limits);
  await store.load(await batches.next(vocabulary));
  return {
    get store() {
      return store;
    },
    batches,
    async reopen() {
      await store[Symbol.asyncDispose]();
      store = await world.open(limits);
      return store;
    },
    load: async (...projects) => store.load(await batches.next(...projects)),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

export const noSignal = (): AbortSignal => new AbortController().signal;

/** All records of a project: users by id, then events by time. */
export async function recordsOf(store: EventStore, projectId = 1): Promise<ExportedRecord[]> {
  const range = { projectId, startMs: -Infinity, endMs: Infinity, users: true };
  const records = await collect(store.export(range, noSignal()));
  const users = records.filter((record) => record["#type"] === "user_set");
  const events = records.filter((record) => record["#type"] !== "user_set");
  return [...users, ...events.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))];
}

export async function collect<T>(parts: AsyncIterable<readonly T[]>): Promise<T[]> {
  const found: T[] = [];
  for await (const part of parts) found.push(...part);
  return found;
}

const sortKey = (record: ExportedRecord): string => `${record["#time"]} ${JSON.stringify(record)}`;

/** The properties of events, without the zone that each has. */
export async function eventProperties(store: EventStore, projectId = 1): Promise<object[]> {
  const records = await recordsOf(store, projectId);
  return records.filter((record) => record["#type"] !== "user_set").map(withoutZone);
}

function withoutZone(record: ExportedRecord): object {
  const { "#zone_offset": _zone, ...rest } = record["properties"] as Record<string, unknown>;
  return rest;
}

/** Ids and properties of users. */
export async function userRecords(store: EventStore, projectId = 1): Promise<object[]> {
  const records = await recordsOf(store, projectId);
  return records
    .filter((record) => record["#type"] === "user_set")
    .map((record) => ({
      account: record["#account_id"],
      visitor: record["#distinct_id"],
      ...(record["properties"] as object),
    }));
}

export async function* asyncOf<T>(...parts: readonly T[][]): AsyncGenerator<readonly T[], void> {
  yield* parts;
}
