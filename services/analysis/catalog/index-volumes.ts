import { createYield, type YieldToEventLoop } from "../../../base/async/yield.ts";
import type {
  EventVolume,
  ProjectSchema,
  ProjectVolumes,
  PropertyTable,
} from "../../../store/events/events.ts";
import type { ColumnType } from "../describe/column/column.ts";
import type { CatalogPort } from "../project/project.ts";
import { sortYielding } from "../shape/sort-yielding.ts";
import { Carriers } from "./carriers.ts";

/** An event of the catalogue. The retention has removed the events of one without volume. */
export interface IndexedEvent {
  readonly name: string;
  readonly number: number;
  readonly volume: EventVolume | undefined;
}

/** A column of the catalogue. */
export interface IndexedColumn {
  readonly name: string;
  readonly table: PropertyTable;
  readonly kind: "preset" | "custom" | "virtual" | "dimension";
  readonly type: ColumnType;
  readonly group: string | undefined;
  /** The number of values; undefined for columns whose values are computed. */
  readonly count: number | undefined;
  /** Returns the number of values in the events of one name. */
  readonly countIn: ((volume: EventVolume) => number) | undefined;
  /** The number of different events with a value, and the names of the most frequent ones. */
  readonly eventCount: number;
  readonly events: readonly string[];
}

/** What the data of a project consists of, in the orders of lists. */
export interface CatalogIndex {
  readonly version: number;
  readonly eventsByName: readonly IndexedEvent[];
  readonly eventsByCount: readonly IndexedEvent[];
  /** By name. */
  readonly columns: Readonly<Record<PropertyTable, readonly IndexedColumn[]>>;
  readonly volumes: ProjectVolumes;
}

/** Orders texts by their characters, as cursors do. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Puts volumes in order. A project may have tens of thousands of names, so it yields to the event loop. */
export async function indexVolumes(
  volumes: ProjectVolumes,
  port: CatalogPort,
  signal: AbortSignal,
): Promise<CatalogIndex> {
  const { schema, events } = volumes;
  const yieldToEventLoop = createYield({ signal });
  const all = Array.from(schema.events.values(), ({ name, number }) => ({
    name,
    number,
    volume: events.get(number),
  }));
  const eventsByName = await sortYielding(all, (a, b) => byText(a.name, b.name), yieldToEventLoop);
  const byCount = (a: IndexedEvent, b: IndexedEvent): number => countOf(b) - countOf(a);
  return {
    version: schema.version,
    volumes,
    eventsByName,
    eventsByCount: await sortYielding(eventsByName, byCount, yieldToEventLoop),
    columns: {
      event: columnsOf("event", port, schema, await eventColumns(volumes, eventsByName, yieldToEventLoop)),
      user: columnsOf("user", port, schema, userColumns(volumes)),
    },
  };
}

export const countOf = ({ volume }: IndexedEvent): number => volume?.count ?? 0;

const nowhere = { countIn: undefined, eventCount: 0, events: [] } as const;

/** Returns all columns of a table by name, with those that the configuration defines. */
function columnsOf(
  table: PropertyTable,
  port: CatalogPort,
  schema: ProjectSchema,
  stored: readonly IndexedColumn[],
): readonly IndexedColumn[] {
  const { virtualProperties, dimensions } = port.definitions;
  const computed = (name: string, kind: IndexedColumn["kind"]): IndexedColumn => ({
    ...nowhere,
    name,
    table,
    kind,
    type: port.typeOf(table, name, schema),
    group: undefined,
    count: undefined,
  });
  const virtual = [...virtualProperties].flatMap(([name, one]) =>
    one.table === table ? [computed(`#vp@${name}`, "virtual")] : [],
  );
  const ofTable = [...dimensions.keys()].filter((key) => key.startsWith(`${table}:`));
  const translated = ofTable.map((key) => computed(key.slice(table.length + 1), "dimension"));
  return [...stored, ...virtual, ...translated].sort((a, b) => byText(a.name, b.name));
}

type Counted = Pick<EventVolume, "count" | "accounts" | "visitors">;
type Builtin = readonly [name: string, type: ColumnType, countIn: (volume: Counted) => number];

/** The columns that users and events have without a property. */
const ids: readonly Builtin[] = [
  ["#account_id", "text", ({ accounts }) => accounts],
  ["#distinct_id", "text", ({ visitors }) => visitors],
  ["#user_id", "number", ({ count }) => count],
];
const ofEvents: readonly Builtin[] = [
  ["#event_name", "text", ({ count }) => count],
  ["#event_time", "time", ({ count }) => count],
  ["#server_time", "time", ({ count }) => count],
];

async function eventColumns(
  { schema }: ProjectVolumes,
  events: readonly IndexedEvent[],
  yieldToEventLoop: YieldToEventLoop,
): Promise<readonly IndexedColumn[]> {
  const builtins = [...ids, ...ofEvents];
  const ofBuiltins = builtins.map(() => new Carriers());
  const ofProperties = new Map<number, Carriers>();
  for (const { name, volume } of events) {
    if (volume === undefined) continue;
    for (const [at, [, , countIn]] of builtins.entries()) ofBuiltins[at]!.add(name, countIn(volume));
    for (const [number, count] of volume.values) {
      const carriers = ofProperties.get(number) ?? new Carriers();
      carriers.add(name, count);
      ofProperties.set(number, carriers);
    }
    await yieldToEventLoop();
  }
  const none = new Carriers();
  return [
    ...builtins.map(([name, type, countIn], at) => ({
      ...ofBuiltins[at]!.found(),
      ...builtinColumn(name, type, "event"),
      countIn,
    })),
    ...reported(schema, "event", (number) => ({
      ...(ofProperties.get(number) ?? none).found(),
      countIn: ({ values }) => values.get(number) ?? 0,
    })),
  ];
}

function userColumns({ schema, users }: ProjectVolumes): readonly IndexedColumn[] {
  return [
    ...ids.map(([name, type, countIn]) => ({
      ...nowhere,
      ...builtinColumn(name, type, "user"),
      count: countIn(users),
    })),
    ...reported(schema, "user", (number) => ({ ...nowhere, count: users.values.get(number) ?? 0 })),
  ];
}

type Described = Pick<IndexedColumn, "name" | "table" | "kind" | "type" | "group">;

const builtinColumn = (name: string, type: ColumnType, table: PropertyTable): Described => ({
  name,
  type,
  table,
  kind: "preset",
  group: undefined,
});

function reported(
  { properties }: ProjectSchema,
  table: PropertyTable,
  count: (number: number) => Omit<IndexedColumn, keyof Described>,
): readonly IndexedColumn[] {
  const own = [...properties.values()].filter((one) => one.table === table);
  return own.map(({ name, type, group, number }) => ({
    ...count(number),
    name,
    table,
    type,
    group,
    kind: name.startsWith("#") ? "preset" : "custom",
  }));
}
