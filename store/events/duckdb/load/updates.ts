import type { ProjectSchema, Property } from "../../schema.ts";
import { wholeOf } from "../../user-operations.ts";
import { type DataTable, eventColumns, propertyColumn, updatableTableName } from "../layout.ts";
import type { Session } from "../session.ts";
import { ensureColumns, usedProperties } from "./data-table.ts";
import { eventKeys } from "./events.ts";
import { fileRelation } from "./staging.ts";

export const updatableColumns = { ...eventColumns, event_id: "VARCHAR" } as const;

const updateKeys = { ...eventKeys, i: ["event_id", "VARCHAR"], o: ["operation", "VARCHAR"] } as const;

/**
 * Columns which a later line of the same event always replaces, and columns which it keeps when it
 * lacks them and is of the same user.
 */
const always = ["time_ms", "received_ms", "user_id"] as const;
const optional = ["account_id", "distinct_id"] as const;

/**
 * Merges the lines of a file into the table of updatable events. The lines of one event are first
 * merged to one: each property gets the last value since the last `overwrite`. Members of objects
 * follow the object, given or not.
 */
export async function loadUpdates(
  session: Session,
  projectId: number,
  existing: DataTable | undefined,
  file: string,
  schema: ProjectSchema,
): Promise<DataTable> {
  const all = [...schema.properties.values()].filter(({ table }) => table === "event");
  const rows = fileRelation(file, updateKeys, all);
  await session.run(`CREATE TEMP TABLE staged_updates AS FROM ${rows}`);
  const given = await usedProperties(session, "staged_updates", all);
  await session.run(foldLines(given, schema));
  const name = updatableTableName(projectId);
  const table = await ensureColumns(session, name, existing, updatableColumns, given);
  await updateKnown(session, table, given, schema);
  await session.run(insertUnknown(name, given));
  await session.run("DROP TABLE staged_updates; DROP TABLE folded_updates");
  return table;
}

/** Row ids are in the order of the lines. */
function foldLines(given: readonly Property[], schema: ProjectSchema): string {
  const folded = [
    "bool_or(operation = 'overwrite') AS is_overwritten",
    "min(user_id) = max(user_id) AS has_one_user",
    ...always.map((name) => `arg_max(${name}, line) AS ${name}`),
    ...optional.map((name) => `arg_max(${name}, CASE WHEN line >= user_line THEN line END) AS ${name}`),
    ...given.map((property) => `${foldProperty(property, schema)} AS ${propertyColumn(property)}`),
  ];
  return `CREATE TEMP TABLE folded_updates AS
    WITH numbered AS (
      SELECT *, rowid AS line, lag(user_id) OVER (PARTITION BY event, event_id ORDER BY rowid) AS user_before
      FROM staged_updates),
    lines AS (
      SELECT *, ${lastLine("operation = 'overwrite'")} AS first_line, ${lastLine("user_id <> user_before")} AS user_line
      FROM numbered)
    SELECT event, event_id, ${folded.join(", ")} FROM lines WHERE line >= first_line GROUP BY event, event_id`;
}

const lastLine = (condition: string): string =>
  `coalesce(max(CASE WHEN ${condition} THEN line END) OVER (PARTITION BY event, event_id), 0)`;

/**
 * `arg_max` reads values only; `arg_max_null` reads lines without a value too. Neither has a FILTER,
 * for which the engine would copy all columns once more for each.
 */
function foldProperty(property: Property, schema: ProjectSchema): string {
  const column = propertyColumn(property);
  const whole = wholeOf(schema, property);
  if (whole === undefined) return `arg_max(${column}, line)`;
  return `arg_max_null(${column}, CASE WHEN ${propertyColumn(whole)} IS NOT NULL THEN line END)`;
}

/** Writes only columns which may change: whole rows move when a list changes. */
async function updateKnown(
  session: Session,
  { table, properties: has }: DataTable,
  given: readonly Property[],
  schema: ProjectSchema,
): Promise<void> {
  const [[isAnyOverwritten] = []] = await session.rows<[boolean | null]>(
    "SELECT bool_or(is_overwritten) FROM folded_updates",
  );
  const isGiven = new Set(given);
  const keepsIds = "NOT is_overwritten AND has_one_user AND f.user_id = o.user_id";
  const assignments = [
    ...always.map((column) => `${column} = f.${column}`),
    ...optional.map(
      (column) => `${column} = coalesce(f.${column}, CASE WHEN ${keepsIds} THEN o.${column} END)`,
    ),
  ];
  for (const property of schema.properties.values()) {
    if (property.table !== "event" || !has.has(property.number)) continue;
    const whole = wholeOf(schema, property);
    const isWholeGiven = whole !== undefined && isGiven.has(whole);
    if (!isAnyOverwritten && !isGiven.has(property) && !isWholeGiven) continue;
    const column = propertyColumn(property);
    const value = isGiven.has(property) ? `f.${column}` : "NULL";
    const replaced = isWholeGiven ? ` OR f.${propertyColumn(whole)} IS NOT NULL` : "";
    assignments.push(
      `${column} = CASE WHEN is_overwritten${replaced} THEN ${value} ELSE coalesce(${value}, o.${column}) END`,
    );
  }
  await session.run(
    `UPDATE ${table} AS o SET ${assignments.join(", ")} FROM folded_updates AS f
     WHERE o.event = f.event AND o.event_id = f.event_id`,
  );
}

function insertUnknown(name: string, given: readonly Property[]): string {
  const columns = [...Object.keys(updatableColumns), ...given.map(propertyColumn)].join(", ");
  return `INSERT INTO ${name} (${columns})
    SELECT ${columns} FROM folded_updates ANTI JOIN ${name} USING (event, event_id)`;
}
