import type { ProjectRows } from "../../load.ts";
import type { EventName, ProjectSchema, Property } from "../../schema.ts";
import type { Session, Values } from "../session.ts";

/** Statements with more values take long to parse. */
const maxRowsPerStatement = 200;

/** Adds new names to the database and to the returned schema, which is the same when nothing is new. */
export async function register(
  session: Session,
  projectId: number,
  schema: ProjectSchema,
  { newEvents, newProperties }: Pick<ProjectRows, "newEvents" | "newProperties">,
): Promise<ProjectSchema> {
  const events = newEvents.filter((one) => !isKnown(one, schema.events.get(one.name)));
  const properties = newProperties.filter(
    (one) => !isKnown(one, schema.properties.get(`${one.table}:${one.name}`)),
  );
  checkNumbers([...schema.events.values()], events);
  checkNumbers([...schema.properties.values()], properties);
  await insertRows(
    session,
    "event_names",
    events.map(({ number, name }) => [projectId, number, name]),
  );
  await insertRows(
    session,
    "properties",
    properties.map(({ number, table, name, type, group }) => [
      projectId,
      number,
      table,
      name,
      type,
      group ?? null,
    ]),
  );
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

export async function insertRows(session: Session, table: string, rows: readonly Values[]): Promise<void> {
  for (let at = 0; at < rows.length; at += maxRowsPerStatement) {
    const part = rows.slice(at, at + maxRowsPerStatement);
    let last = 0;
    const tuples = part.map((row) => `(${row.map(() => `$${++last}`).join(", ")})`);
    await session.run(`INSERT INTO ${table} VALUES ${tuples.join(", ")}`, part.flat());
  }
}
