import type { Property, PropertyTable } from "../../../store/events/events.ts";
import type { TypeLookup } from "./record.ts";

/** Types of properties that grow while records are checked. */
export interface TypeTable extends TypeLookup {
  /** What has a type keeps it. */
  add(property: Property): void;
}

type ByName = Map<string, Property>;

const none: readonly Property[] = [];

/** @param below types that this table adds to, without changing them */
export function createTypeTable(properties: Iterable<Property>, below?: TypeLookup): TypeTable {
  const event: ByName = new Map();
  const user: ByName = new Map();
  const members = new Map<string, Property[]>();
  const find = (table: PropertyTable, name: string): Property | undefined =>
    (table === "event" ? event : user).get(name) ?? below?.find(table, name);
  const add = (property: Property): void => {
    const { table, name } = property;
    if (find(table, name) !== undefined) return;
    (table === "event" ? event : user).set(name, property);
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
  };
}
