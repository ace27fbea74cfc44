import type { ProjectRows } from "./load.ts";
import type { EventName, ProjectSchema, Property } from "./schema.ts";

/** Names of a batch which a schema lacks. */
export interface NewNames {
  readonly events: readonly EventName[];
  readonly properties: readonly Property[];
}

/**
 * Returns the names which the schema lacks.
 * @throws Error when a name has another number or type in the schema, or a number is taken
 */
export function unknownNames(
  schema: ProjectSchema,
  { newEvents, newProperties }: Pick<ProjectRows, "newEvents" | "newProperties">,
): NewNames {
  const events = newEvents.filter((one) => !isKnown(one, schema.events.get(one.name)));
  const properties = newProperties.filter(
    (one) => !isKnown(one, schema.properties.get(`${one.table}:${one.name}`)),
  );
  checkNumbers([...schema.events.values()], events);
  checkNumbers([...schema.properties.values()], properties);
  return { events, properties };
}

/** Returns a schema of the same version with new names, which is the same when there are none. */
export function withNames(schema: ProjectSchema, { events, properties }: NewNames): ProjectSchema {
  return {
    version: schema.version,
    events: extended(schema.events, events, ({ name }) => name),
    properties: extended(schema.properties, properties, ({ table, name }) => `${table}:${name}`),
  };
}

function isKnown(given: EventName | Property, known: EventName | Property | undefined): boolean {
  if (known === undefined) return false;
  if (JSON.stringify(sorted(given)) === JSON.stringify(sorted(known))) return true;
  throw new Error(`"${given.name}" is registered already, as number ${known.number}`);
}

const sorted = (one: object): unknown[] => Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1));

function checkNumbers(
  known: readonly { number: number }[],
  given: readonly { name: string; number: number }[],
): void {
  const numbers = new Set(known.map(({ number }) => number));
  for (const { name, number } of given) {
    if (numbers.has(number) || !Number.isInteger(number) || number < 1)
      throw new Error(`"${name}" can't have number ${number}, which is taken or not a number from 1 on`);
    numbers.add(number);
  }
}

function extended<T>(
  map: ReadonlyMap<string, T>,
  added: readonly T[],
  key: (one: T) => string,
): ReadonlyMap<string, T> {
  return added.length === 0 ? map : new Map([...map, ...added.map((one) => [key(one), one] as const)]);
}
