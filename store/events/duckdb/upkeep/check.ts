import { dayMs } from "../../../../base/time/units.ts";
import type { OnProgress } from "../../events.ts";
import { dataTables, orphansOf, readColumns } from "../catalog.ts";
import {
  type DataTable,
  type DayTable,
  dayText,
  eventColumns,
  type ProjectTables,
  propertyColumn,
  propertySqlType,
  userColumns,
} from "../layout.ts";
import { updatableColumns } from "../load/updates.ts";
import type { Snapshot } from "../query/query.ts";

/** Reads all columns of all tables, and reports inconsistencies. */
export async function findFaults(
  snapshot: Snapshot,
  signal: AbortSignal,
  onProgress: OnProgress = () => undefined,
): Promise<readonly string[]> {
  const columns = await readColumns(snapshot);
  const faults = orphansOf(snapshot.tables, columns).map((table) => `table ${table} is not in the catalog`);
  const projects = [...snapshot.tables.projects.values()];
  const missing = projects.flatMap(dataTables).filter(({ table }) => !columns.has(table));
  faults.push(...missing.map(({ table }) => `table ${table} is missing`));
  if (missing.length > 0) return faults;
  const checks = projects.flatMap((project) => [...checksOf(project)]);
  for (const [at, { what, sql, expected }] of checks.entries()) {
    signal.throwIfAborted();
    onProgress(at, checks.length);
    try {
      const [[found] = []] = await snapshot.rows<[bigint]>(sql);
      if (Number(found) !== expected) faults.push(`${what}: ${found} instead of ${expected}`);
    } catch (error) {
      if (!(error instanceof Error) || !isReadFault(error)) throw error;
      // The error has ended the snapshot.
      return [...faults, `${what}: ${error.message}; the rest was not read`];
    }
  }
  return faults;
}

/** A number of rows, reported when it differs from the expected one. */
interface Check {
  readonly what: string;
  readonly sql: string;
  readonly expected: number;
}

/**
 * Reports whether an error is of the kind that the check looks for: a block with a wrong checksum, or a
 * column of the wrong type.
 */
function isReadFault({ message }: Error): boolean {
  return /checksum|Corrupt|Serialization Error|Binder Error|Conversion Error/.test(message);
}

function* checksOf(project: ProjectTables): Iterable<Check> {
  const { projectId, schema, days, updatable, users, visitors, cohorts } = project;
  for (const [day, table] of days) yield* dayChecks(project, day, table);
  if (updatable !== undefined) yield* updatableChecks(project, updatable);
  if (users !== undefined) {
    const of = `users of project ${projectId}`;
    yield readAll(of, project, users, userColumns);
    yield noRows(
      `${of} with more than one row`,
      `(SELECT user_id FROM ${users.table} GROUP BY user_id HAVING count(*) > 1)`,
    );
    yield noRows(`${of} without an id`, `${users.table} WHERE user_id IS NULL`);
    if (visitors !== undefined)
      yield noRows(
        `visitors of project ${projectId} who are no known user`,
        `${visitors} ANTI JOIN ${users.table} USING (user_id)`,
      );
  }
  for (const { table, name, day, members } of cohorts)
    yield {
      what: `members of "${name}" of ${day} in project ${projectId}`,
      sql: `SELECT count(DISTINCT user_id) FROM ${table}`,
      expected: members,
    };
  const entries = [
    ["events", "event_names", "name", schema.events.size],
    ["properties", "properties", "(owner, name)", schema.properties.size],
  ] as const;
  for (const [what, table, key, expected] of entries) {
    const from = `FROM ${table} WHERE project = ${projectId}`;
    yield {
      what: `${what} registered for project ${projectId}`,
      sql: `SELECT count(DISTINCT ${key}) ${from}`,
      expected,
    };
    yield {
      what: `numbers of ${what} of project ${projectId}`,
      sql: `SELECT count(DISTINCT number) ${from}`,
      expected,
    };
  }
}

function* dayChecks(project: ProjectTables, day: number, table: DayTable): Iterable<Check> {
  const of = `events of ${dayText(day)} in project ${project.projectId}`;
  yield { what: of, sql: `SELECT count(*) FROM ${table.table}`, expected: table.events };
  yield readAll(of, project, table, Object.keys(eventColumns));
  yield noRows(
    `${of} of another day`,
    `${table.table} WHERE time_ms NOT BETWEEN ${day * dayMs} AND ${(day + 1) * dayMs - 1}`,
  );
  yield unknownEvents(of, project, table);
  if (table.isSorted)
    yield noRows(
      `${of} out of order`,
      `(SELECT (event, time_ms) < lag((event, time_ms)) OVER (ORDER BY rowid) AS is_late FROM ${table.table})
       WHERE is_late`,
    );
}

function* updatableChecks(project: ProjectTables, table: DataTable): Iterable<Check> {
  const of = `updatable events of project ${project.projectId}`;
  yield readAll(of, project, table, Object.keys(updatableColumns));
  yield noRows(
    `${of} with more than one row`,
    `(SELECT 1 FROM ${table.table} GROUP BY event, event_id HAVING count(*) > 1)`,
  );
  yield unknownEvents(of, project, table);
}

const noRows = (what: string, from: string): Check => ({
  what,
  sql: `SELECT count(*) FROM ${from}`,
  expected: 0,
});

function unknownEvents(of: string, { projectId }: ProjectTables, { table }: DataTable): Check {
  return noRows(
    `${of} whose name or user is unknown`,
    `${table} WHERE user_id IS NULL OR event IS NULL
       OR event NOT IN (SELECT number FROM event_names WHERE project = ${projectId})`,
  );
}

/** Makes the engine read every value, with the type of the registry. */
function readAll(
  of: string,
  { schema }: ProjectTables,
  { table, properties }: DataTable,
  base: readonly string[],
): Check {
  const own = [...schema.properties.values()].filter(({ number }) => properties.has(number));
  const columns = [...base, ...own.map((one) => `${propertyColumn(one)}::${propertySqlType(one)}`)];
  return noRows(`${of} that can't be read`, `${table} WHERE hash(${columns.join(", ")}) IS NULL`);
}
