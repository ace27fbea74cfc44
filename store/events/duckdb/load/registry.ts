import type { ProjectRows } from "../../load.ts";
import { unknownNames, withNames } from "../../new-names.ts";
import type { ProjectSchema } from "../../schema.ts";
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
  const { events, properties } = unknownNames(schema, { newEvents, newProperties });
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
  return withNames(schema, { events, properties });
}

export async function insertRows(session: Session, table: string, rows: readonly Values[]): Promise<void> {
  for (let at = 0; at < rows.length; at += maxRowsPerStatement) {
    const part = rows.slice(at, at + maxRowsPerStatement);
    let last = 0;
    const tuples = part.map((row) => `(${row.map(() => `$${++last}`).join(", ")})`);
    await session.run(`INSERT INTO ${table} VALUES ${tuples.join(", ")}`, part.flat());
  }
}
