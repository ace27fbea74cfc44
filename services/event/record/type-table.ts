import type { Property, PropertyTable } from "../../../store/events/events.ts";
import type { TypeLookup } from "./record.ts";

/** A table of property types that grows while records are checked. */
export interface TypeTable extends TypeLookup {
  /** Adds a property unless it has a type already. */
  add(property: Property): void;
}

type ByName = Map<string, Property>;

const none: readonly Property[] = [];

export interface TypeTableOptions {
  /** Types that this table adds to, without changing them. */
  readonly below?: TypeLookup;
  /**
   * Limit of the properties of events, and of users; existing ones beyond it stay. Default: the room of `below`, if
   * any.
   */
  readonly maxProperties?: number;
}

export function createTypeTable(
  properties: Iterable<Property>,
  { below, maxProperties = Number.POSITIVE_INFINITY }: TypeTableOptions = {},
): TypeTable {
  const event: ByName = new Map();
  const user: ByName = new Map();
  const members = new Map<string, Property[]>();
  const ofTable = (table: PropertyTable): ByName => (table === "event" ? event : user);
  const find = (table: PropertyTable, name: string): Property | undefined =>
    ofTable(table).get(name) ?? below?.find(table, name);
  const add = (property: Property): void => {
    const { table, name } = property;
    if (find(table, name) !== undefined) return;
    ofTable(table).set(name, property);
    const dot = name.indexOf(".");
    if (dot === -1) return;
    const key = `${table}:${name.slice(0, dot)}`;
    const known = members.get(key);
    if (known === undefined) members.set(key, [property]);
    else known.push(property);
  };
  for (const property of properties) add(property);
  return {
    find,
    add,
    members: (table, name) => {
      const own = members.get(`${table}:${name}`) ?? none;
      const others = below?.members(table, name) ?? none;
      return others.length === 0 ? own : [...others, ...own];
    },
    room: (table) => (below?.room(table) ?? maxProperties) - ofTable(table).size,
  };
}
