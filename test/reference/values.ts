import { parseTime } from "./calendar.ts";

export type Scalar = number | string | boolean;
/** The members of each element of an object group. */
export type Elements = readonly ReadonlyMap<string, Scalar>[];
export type Value = Scalar | readonly string[] | Elements;

export type ValueType = "number" | "text" | "boolean" | "time" | "list" | "object" | "object_group";
export type Table = "event" | "user";

export interface PropertyInfo {
  readonly type: ValueType;
  /** The group of a member of an object group. */
  readonly group?: string;
}

export interface Registry {
  find(table: Table, name: string): PropertyInfo | undefined;
  /** Properties of a record, typed; those that don't fit are left out. */
  take(
    table: Table,
    properties: Readonly<Record<string, unknown>>,
    timeOf: (localMs: number) => number,
  ): Map<string, Value>;
}

export function createRegistry(): Registry {
  const known = new Map<string, PropertyInfo>();
  const typeOf = (table: Table, name: string, value: unknown, group?: string): ValueType | undefined => {
    const key = `${table}:${name}`;
    const found = known.get(key);
    if (found) return found.group === group ? found.type : undefined;
    const type = guess(value);
    known.set(key, group === undefined ? { type } : { type, group });
    return type;
  };
  return {
    find: (table, name) => known.get(`${table}:${name}`),
    take(table, properties, timeOf) {
      const values = new Map<string, Value>();
      for (const [given, value] of Object.entries(properties)) {
        if (isNothing(value)) continue;
        const name = given.toLowerCase();
        const type = typeOf(table, name, value);
        if (type === "object" && isObject(value)) {
          for (const [member, inner] of membersOf(value)) {
            const typed = convert(inner, typeOf(table, `${name}.${member}`, inner)!, timeOf);
            if (typed !== undefined) values.set(`${name}.${member}`, typed);
          }
          values.set(name, JSON.stringify(value));
        } else if (type === "object_group" && isObjectList(value)) {
          values.set(
            name,
            value.map((element) => {
              const typed = membersOf(element).map(
                ([member, inner]) =>
                  [member, convert(inner, typeOf(table, `${name}.${member}`, inner, name)!, timeOf)] as const,
              );
              return new Map(typed.filter((entry): entry is [string, Scalar] => entry[1] !== undefined));
            }),
          );
        } else {
          const typed = convert(value, type!, timeOf);
          if (typed !== undefined) values.set(name, typed);
        }
      }
      return values;
    },
  };
}

function isNothing(value: unknown): boolean {
  return (
    value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isObjectList(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.every(isObject);
}

/** Members with a value; what is deeper is JSON text. */
function membersOf(value: Record<string, unknown>): [string, unknown][] {
  return Object.entries(value)
    .filter(([, inner]) => !isNothing(inner))
    .map(([name, inner]) => [name.toLowerCase(), typeof inner === "object" ? JSON.stringify(inner) : inner]);
}

function guess(value: unknown): ValueType {
  if (typeof value === "number") return isBeyond(value) ? "text" : "number";
  if (typeof value === "boolean") return "boolean";
  if (isObject(value)) return "object";
  if (Array.isArray(value)) return isObjectList(value) ? "object_group" : "list";
  return isTime(value) ? "time" : "text";
}

function isTime(value: unknown): value is string {
  const time = typeof value === "string" ? parseTime(value) : undefined;
  return time !== undefined && !time.dateOnly;
}

function convert(
  value: unknown,
  type: ValueType,
  timeOf: (localMs: number) => number,
): Scalar | readonly string[] | undefined {
  switch (type) {
    case "number":
      if (typeof value === "number") return finite(value);
      return typeof value === "string" && decimal.test(value) ? finite(Number(value)) : undefined;
    case "text":
      return typeof value === "object" ? undefined : String(value);
    case "boolean":
      if (typeof value === "boolean") return value;
      return value === "true" ? true : value === "false" ? false : undefined;
    case "time":
      return isTime(value) ? timeOf(parseTime(value)!.ms) : undefined;
    case "list":
      return Array.isArray(value) && !isObjectList(value) ? value.map(String) : undefined;
    default:
      return undefined;
  }
}

const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Whole numbers that several doubles in a row stand for, as long as writers of JSON write all of their digits. */
function isBeyond(value: number): boolean {
  return Math.abs(value) >= 2 ** 53 && Math.abs(value) < 1e21;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) && !isBeyond(value) ? value : undefined;
}
