import type { MessageInitShape } from "@bufbuild/protobuf";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import { readPage, writePageToken } from "../../../base/rpc/paging.ts";
import {
  type CatalogPropertySchema,
  type ListDimensionsResponseSchema,
  type ListMetricsResponseSchema,
  type ListPropertiesRequest,
  type ListPropertiesResponseSchema,
  PropertyKind,
  PropertyTable,
  PropertyType,
} from "../../../gen/engage/analysis/v1/catalog_pb.ts";
import type { EventVolume, PropertyTable as StoredTable } from "../../../store/events/events.ts";
import type { ColumnType } from "../describe/column/column.ts";
import type { ProjectDefinitions } from "../project/definitions.ts";
import { byText, type CatalogIndex, type IndexedColumn } from "./index-volumes.ts";
import type { CatalogCall, KeptVolumes } from "./kept-volumes.ts";
import { refuseUnknown } from "./refusals.ts";
import { takePage } from "./take-page.ts";

const types: Readonly<Partial<Record<ColumnType, PropertyType>>> = {
  number: PropertyType.NUMBER,
  text: PropertyType.TEXT,
  time: PropertyType.TIME,
  boolean: PropertyType.BOOLEAN,
  list: PropertyType.LIST,
  object: PropertyType.OBJECT,
  object_group: PropertyType.OBJECT_GROUP,
};

export const messageType = (type: ColumnType): PropertyType => types[type] ?? PropertyType.UNSPECIFIED;

const kinds: Readonly<Record<IndexedColumn["kind"], PropertyKind>> = {
  preset: PropertyKind.PRESET,
  custom: PropertyKind.CUSTOM,
  virtual: PropertyKind.VIRTUAL,
  dimension: PropertyKind.DIMENSION,
};

const messageTable = (table: StoredTable): PropertyTable =>
  table === "user" ? PropertyTable.USER : PropertyTable.EVENT;

const tables: ReadonlySet<PropertyTable> = new Set(Object.values(PropertyTable));
const validKinds: ReadonlySet<PropertyKind> = new Set(Object.values(PropertyKind));

/** @throws InvalidFieldsError */
export function readTable(table: PropertyTable): StoredTable {
  if (!tables.has(table)) {
    refuseField("table", `is ${table}, valid are 1 for events, 2 for users, or 0 for events`);
  }
  return table === PropertyTable.USER ? "user" : "event";
}

/** Returns undefined for an empty text. @throws InvalidFieldsError when users are asked for by events */
export function readOfEvents(field: string, text: string, table: StoredTable): string | undefined {
  if (text === "") return undefined;
  if (table === "user") refuseField(field, "is only valid with the table of events");
  return text;
}

export async function listProperties(
  request: ListPropertiesRequest,
  call: CatalogCall,
  volumes: KeptVolumes,
): Promise<MessageInitShape<typeof ListPropertiesResponseSchema>> {
  const table = readTable(request.table);
  const event = readOfEvents("event", request.event, table);
  const { kind } = request;
  if (!validKinds.has(kind)) {
    refuseField("kind", `is ${kind}, valid are 1 to ${validKinds.size - 1}, or 0 for all`);
  }
  const prefix = request.prefix.toLowerCase();
  const list = ["properties", call.projectId, table, event, kind, prefix];
  const { limit, after } = readPage(request, list);
  const index = await volumes.read(call);
  const volume = event === undefined ? undefined : volumeOf(event, index);
  const { items, next } = takePage(index.columns[table], {
    limit,
    after,
    matches: (column) =>
      column.name.toLowerCase().startsWith(prefix) &&
      (kind === PropertyKind.UNSPECIFIED || kinds[column.kind] === kind) &&
      (volume === undefined || column.countIn === undefined || column.countIn(volume) > 0),
    cursorOf: ({ name }) => name,
    isAfter: ({ name }, cursor) => name > cursor,
  });
  const shape = (column: IndexedColumn) => shapeColumn(column, volume, call.port.definitions);
  return { properties: items.map(shape), nextPageToken: writePageToken(next, list) };
}

const noEvents: EventVolume = {
  count: 0,
  firstMs: 0,
  lastMs: 0,
  accounts: 0,
  visitors: 0,
  values: new Map(),
};

/** @throws AnalysisRefusal for an unknown event */
function volumeOf(event: string, { volumes: { schema, events }, eventsByName }: CatalogIndex): EventVolume {
  const known = schema.events.get(event);
  if (known === undefined) throw refuseUnknown("event", event, () => eventsByName.map(({ name }) => name));
  return events.get(known.number) ?? noEvents;
}

function shapeColumn(
  column: IndexedColumn,
  volume: EventVolume | undefined,
  { displayNames }: ProjectDefinitions,
): MessageInitShape<typeof CatalogPropertySchema> {
  const { name, table, kind, type, group = "", eventCount, events } = column;
  const count = volume === undefined ? column.count : column.countIn?.(volume);
  return {
    name,
    table: messageTable(table),
    kind: kinds[kind],
    type: messageType(type),
    group,
    displayName: displayNames.get(name) ?? "",
    ...(count !== undefined && { count: BigInt(count) }),
    eventCount,
    events: [...events],
  };
}

/** The columns of dimension tables, by the names of their properties. */
export function listDimensions({
  dimensions,
  displayNames,
}: ProjectDefinitions): MessageInitShape<typeof ListDimensionsResponseSchema> {
  const columns = Array.from(dimensions, ([key, texts]) => {
    const table: StoredTable = key.startsWith("user:") ? "user" : "event";
    const name = key.slice(table.length + 1);
    const at = name.lastIndexOf("@");
    return {
      name,
      property: name.slice(0, at),
      table: messageTable(table),
      column: name.slice(at + 1),
      valueCount: texts.size,
      displayName: displayNames.get(name) ?? "",
    };
  });
  return { columns: columns.sort((a, b) => a.table - b.table || byText(a.name, b.name)) };
}

/** The named metrics, by name. */
export function listMetrics({
  metrics,
}: ProjectDefinitions): MessageInitShape<typeof ListMetricsResponseSchema> {
  const named = Array.from(metrics, ([name, metric]) => ({ name, metric }));
  return { metrics: named.sort((a, b) => byText(a.name, b.name)) };
}
