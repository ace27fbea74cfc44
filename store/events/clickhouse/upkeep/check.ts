import { dayMs } from "../../../../base/time/units.ts";
import type { OnProgress } from "../../events.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Property } from "../../schema.ts";
import type { Connection } from "../connection.ts";
import { readColumns, tablesWith } from "../ddl/columns.ts";
import {
  cohortsTable,
  eventsTable,
  isKept,
  isLoaded,
  propertyColumn,
  propertyType,
  updatableTable,
  usersTable,
  visitorsTable,
} from "../layout.ts";
import type { Project } from "../projects.ts";
import { visitorsRelation } from "../read/relations.ts";
import { oneByOne, readRows, streamMerged } from "../read/row-stream.ts";
import { dayText, sumOfShards } from "../read/stats.ts";
import { shardOfUser } from "../shards.ts";

export interface CheckSource {
  readonly connection: Connection;
  readonly ledger: Ledger;
  readonly signal: AbortSignal;
}

/** Reads all columns of all tables, and reports inconsistencies with the ledger. */
export async function findFaults(
  source: CheckSource,
  projects: readonly Project[],
  onProgress: OnProgress = () => undefined,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const checks = [checkColumns, checkParts, checkDays, checkEvents, checkUsers, checkCohorts];
  const all = projects.flatMap((project) => checks.map((check) => ({ project, check })));
  for (const [at, { project, check }] of all.entries()) {
    source.signal.throwIfAborted();
    onProgress(at, all.length);
    faults.push(...(await check(source, project)));
  }
  return faults;
}

type Check = (source: CheckSource, project: Project) => Promise<readonly string[]>;

/** Each property has its column on each shard. */
const checkColumns: Check = async ({ connection, signal }, { projectId, schema }) => {
  const faults = await connection.onEach(async (shard) => {
    const found: string[] = [];
    for (const table of ["event", "user"] as const) {
      const own = [...schema.properties.values()].filter((one) => one.table === table);
      for (const name of tablesWith(projectId, table))
        found.push(...wrongColumns(name, await readColumns(connection, shard, name, signal), own));
    }
    return found.map((fault) => `${fault} on shard ${shard + 1}`);
  }, signal);
  return faults.flat();
};

function wrongColumns(
  table: string,
  columns: ReadonlyMap<string, string>,
  properties: readonly Property[],
): readonly string[] {
  return properties.flatMap((property) => {
    const column = propertyColumn(property);
    const type = columns.get(column);
    if (type === propertyType(property)) return [];
    return [`column ${column} of ${table} is ${type ?? "missing"} instead of ${propertyType(property)}`];
  });
}

/** The server compares the checksums of all parts. */
const checkParts: Check = async ({ connection, signal }, { projectId }) => {
  const tables = [eventsTable, updatableTable, usersTable, visitorsTable, cohortsTable];
  const faults: string[] = [];
  for (const table of tables.map((nameOf) => nameOf(projectId))) {
    const parts = await connection.onEach(
      (shard, ended) =>
        connection.rows<[string, boolean | number, string]>(shard, {
          sql: `CHECK TABLE ${table} SETTINGS check_query_single_value_result = 0`,
          settings: { max_execution_time: 0 },
          signal: ended,
        }),
      signal,
    );
    for (const [shard, rows] of parts.entries())
      for (const [part, isSound, message] of rows)
        if (Number(isSound) === 0) faults.push(`part ${part} of ${table} on shard ${shard + 1}: ${message}`);
  }
  return faults;
};

/** The events of each day are as many as the ledger says. */
const checkDays: Check = async ({ connection, ledger, signal }, project) => {
  const days = await ledger.call("readDays", project.projectId);
  const sql = `SELECT floor(time_ms / ${dayMs}) AS day, count() FROM ${eventsTable(project.projectId)}
    WHERE ${isLoaded(project)} AND ${isKept(project)} GROUP BY day`;
  const parts = await connection.onEach(
    (shard, ended) => readRows<[number, string]>(connection, shard, { sql, signal: ended }),
    signal,
  );
  const counts = new Map<number, number>();
  for (const [day, count] of parts.flat()) counts.set(day, (counts.get(day) ?? 0) + Number(count));
  const all = new Map(days.map(({ day, events }) => [day, events]));
  return [...new Set([...all.keys(), ...counts.keys()])].flatMap((day) => {
    const [found, expected] = [counts.get(day) ?? 0, all.get(day) ?? 0];
    const of = `events of ${dayText(day)} in project ${project.projectId}`;
    return found === expected ? [] : [`${of}: ${found} instead of ${expected}`];
  });
};

/** Events have known names, and are where their users are. */
const checkEvents: Check = async (source, project) => {
  const { projectId, schema } = project;
  const known = [...schema.events.values()].map(({ number }) => number);
  const isUnknown = known.length === 0 ? "true" : `event NOT IN (${known.join(", ")})`;
  const faults: string[] = [];
  for (const table of [eventsTable(projectId), updatableTable(projectId)]) {
    const rows = `${table} WHERE ${isLoaded(project)} AND ${isKept(project)}`;
    const unknown = await sumOfShards(
      source.connection,
      `SELECT count() FROM ${rows} AND ${isUnknown}`,
      source.signal,
    );
    if (unknown > 0) faults.push(`events of ${table} whose name is unknown: ${unknown}`);
    faults.push(...(await misplacedUsers(source, `SELECT DISTINCT user_id FROM ${rows}`, table)));
  }
  return faults;
};

/** Users have one row in each batch, on their shard, and visitors are of known users. */
const checkUsers: Check = async (source, project) => {
  const { connection, signal } = source;
  const table = usersTable(project.projectId);
  const loaded = `FROM ${table} WHERE ${isLoaded(project)}`;
  const twice = await sumOfShards(
    connection,
    `SELECT count() FROM (SELECT user_id, batch ${loaded} GROUP BY user_id, batch HAVING count() > 1)`,
    signal,
  );
  const faults = twice === 0 ? [] : [`users of ${table} with more than one row in a batch: ${twice}`];
  faults.push(...(await misplacedUsers(source, `SELECT DISTINCT user_id ${loaded}`, table)));
  const strangers = await countStrangers(source, project);
  if (strangers > 0)
    faults.push(`visitors of project ${project.projectId} who are no known user: ${strangers}`);
  return faults;
};

async function misplacedUsers(
  { connection, signal }: CheckSource,
  sql: string,
  table: string,
): Promise<readonly string[]> {
  const shards = connection.shardCount;
  if (shards === 1) return [];
  const faults = await connection.onEach(async (shard, ended) => {
    let misplaced = 0;
    for (const [userId] of await readRows<[string]>(connection, shard, { sql, signal: ended }))
      if (shardOfUser(Number(userId), shards) !== shard) misplaced++;
    return misplaced === 0 ? [] : [`users of ${table} of other shards on shard ${shard + 1}: ${misplaced}`];
  }, signal);
  return faults.flat();
}

async function countStrangers({ connection, signal }: CheckSource, project: Project): Promise<number> {
  const byUser = ([userId]: [string]): number => Number(userId);
  const read = (from: string) =>
    oneByOne(
      streamMerged<[string]>(
        connection,
        { sql: `SELECT DISTINCT user_id FROM ${from} ORDER BY user_id`, signal },
        byUser,
      ),
    );
  const users = read(`${usersTable(project.projectId)} WHERE ${isLoaded(project)}`);
  let strangers = 0;
  try {
    let next = await users.next();
    for await (const [userId] of read(visitorsRelation(project))) {
      while (next.done !== true && Number(next.value[0]) < Number(userId)) next = await users.next();
      if (next.done === true || next.value[0] !== userId) strangers++;
    }
  } finally {
    await users.return();
  }
  return strangers;
}

/** Cohorts have as many members as the ledger says. */
const checkCohorts: Check = async ({ connection, signal }, { projectId, cohorts }) => {
  const faults: string[] = [];
  for (const { name, day, members, batch } of cohorts) {
    const sql = `SELECT uniqExact(user_id) FROM ${cohortsTable(projectId)} WHERE batch = ${batch}`;
    const found = await sumOfShards(connection, sql, signal);
    if (found !== members)
      faults.push(`members of "${name}" of ${day} in project ${projectId}: ${found} instead of ${members}`);
  }
  return faults;
};
