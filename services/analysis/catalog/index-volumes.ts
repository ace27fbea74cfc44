import type {
  EventVolume,
  ProjectSchema,
  ProjectVolumes,
  PropertyTable,
} from "../../../store/events/events.ts";
import type { ColumnType } from "../describe/column/column.ts";
import type { CatalogPort } from "../project/project.ts";

/** An event of the catalogue. An event without events has been removed by the retention. */
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
  /** The events with a value and the number of values, the most frequent first. */
  readonly carriers: readonly Carrier[];
}

export interface Carrier {
  readonly event: string;
  readonly count: number;
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

export function indexVolumes(volumes: ProjectVolumes, port: CatalogPort): CatalogIndex {
  const { schema, events } = volumes;
  const all = [...schema.events.values()].map(({ name, number }) => ({
    name,
    number,
    volume: events.get(number),
  }));
  const eventsByName = all.sort((a, b) => byText(a.name, b.name));
  return {
    version: schema.version,
    volumes,
    eventsByName,
    eventsByCount: eventsByName.toSorted((a, b) => countOf(b) - countOf(a)),
    columns: {
      event: columnsOf("event", port, schema, eventColumns(volumes, eventsByName)),
      user: columnsOf("user", port, schema, userColumns(volumes)),
    },
  };
}

export const countOf = ({ volume }: IndexedEvent): number => volume?.count ?? 0;

/** Returns all columns of a table by name, with those that the configuration defines. */
function columnsOf(
  table: PropertyTable,
  port: CatalogPort,
  schema: ProjectSchema,
  stored: readonly IndexedColumn[],
): readonly IndexedColumn[] {
  const { virtualProperties, dimensions } = port.definitions;
  const computed = (name: string, kind: IndexedColumn["kind"]): IndexedColumn => ({
    name,
    table,
    kind,
    type: port.typeOf(table, name, schema),
    group: undefined,
    count: undefined,
    carriers: [],
  });
  const virtual = [...virtualProperties].flatMap(([name, one]) =>
    one.table === table ? [computed(`#vp@${name}`, "virtual")] : [],
  );
  const ofTable = [...dimensions.keys()].filter((key) => key.startsWith(`${table}:`));
  const translated = ofTable.map((key) => computed(key.slice(table.length + 1), "dimension"));
  return [...stored, ...virtual, ...translated].sort((a, b) => byText(a.name, b.name));
}

type Counted = Pick<EventVolume, "count" | "accounts" | "visitors">;

/** The columns that every event has, with how many of its events have a value. */
const builtins: readonly (readonly [name: string, type: ColumnType, of: (volume: Counted) => number])[] = [
  ["#account_id", "text", ({ accounts }) => accounts],
  ["#distinct_id", "text", ({ visitors }) => visitors],
  ["#user_id", "number", ({ count }) => count],
];
const eventBuiltins: typeof builtins = [
  ["#event_name", "text", ({ count }) => count],
  ["#event_time", "time", ({ count }) => count],
  ["#server_time", "time", ({ count }) => count],
];

function eventColumns({ schema }: ProjectVolumes, events: readonly IndexedEvent[]): readonly IndexedColumn[] {
  const used = events.filter((one) => countOf(one) > 0);
  const values = new Map<number, Carrier[]>();
  for (const { name, volume } of used) {
    for (const [number, count] of volume!.values) {
      const carriers = values.get(number) ?? [];
      if (carriers.push({ event: name, count }) === 1) values.set(number, carriers);
    }
  }
  const all = [...builtins, ...eventBuiltins];
  const ids = all.map(([name, type, of]): IndexedColumn => {
    const carriers = used.map((one) => ({ event: one.name, count: of(one.volume!) }));
    return { ...carried(carriers), name, type, table: "event", kind: "preset", group: undefined };
  });
  return [...ids, ...reported(schema, "event", (number) => carried(values.get(number) ?? []))];
}

function carried(carriers: readonly Carrier[]): Pick<IndexedColumn, "count" | "carriers"> {
  const found = carriers.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  return { count: found.reduce((sum, { count }) => sum + count, 0), carriers: found };
}

function userColumns({ schema, users }: ProjectVolumes): readonly IndexedColumn[] {
  const ids = builtins.map(
    ([name, type, of]): IndexedColumn => ({
      name,
      type,
      table: "user",
      kind: "preset",
      group: undefined,
      count: of(users),
      carriers: [],
    }),
  );
  const counted = (number: number) => ({ count: users.values.get(number) ?? 0, carriers: [] });
  return [...ids, ...reported(schema, "user", counted)];
}

function reported(
  { properties }: ProjectSchema,
  table: PropertyTable,
  count: (number: number) => Pick<IndexedColumn, "count" | "carriers">,
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
