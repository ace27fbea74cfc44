import {
  type DataTable,
  eventColumns,
  type ProjectTables,
  userColumns,
  usersTableName,
  visitorsTableName,
} from "../layout.ts";
import type { Session } from "../session.ts";
import { ensureColumns } from "./data-table.ts";
import { fileRelation } from "./staging.ts";

export const usersBase = Object.fromEntries(userColumns.map((name) => [name, eventColumns[name]]));

const seenKeys = {
  u: ["user_id", "BIGINT"],
  a: ["account_id", "VARCHAR"],
  d: ["distinct_id", "VARCHAR"],
} as const;

/** Inserts or updates the users of a file and their visitors. */
export async function loadSeen(
  session: Session,
  projectId: number,
  existing: Pick<ProjectTables, "users" | "visitors">,
  file: string,
): Promise<{ readonly users: DataTable; readonly visitors: string }> {
  const name = usersTableName(projectId);
  const users = await ensureColumns(session, name, existing.users, usersBase, []);
  const visitors = visitorsTableName(projectId);
  if (existing.visitors === undefined) await session.run(createVisitors(visitors));
  await session.run(`CREATE TEMP TABLE staged_seen AS FROM ${fileRelation(file, seenKeys, [])}`);
  await session.run(`CREATE TEMP TABLE folded_seen AS
    SELECT user_id, arg_max(account_id, rowid) AS account_id, arg_max(distinct_id, rowid) AS distinct_id
    FROM staged_seen GROUP BY user_id ORDER BY user_id`);
  if (existing.users !== undefined)
    await session.run(`UPDATE ${name} AS u SET account_id = coalesce(s.account_id, u.account_id),
        distinct_id = coalesce(s.distinct_id, u.distinct_id)
      FROM folded_seen AS s WHERE u.user_id = s.user_id`);
  await session.run(`INSERT INTO ${name} (user_id, account_id, distinct_id)
    SELECT user_id, account_id, distinct_id FROM folded_seen ANTI JOIN ${name} USING (user_id)`);
  await session.run(`INSERT INTO ${visitors} (distinct_id, user_id)
    SELECT distinct_id, user_id FROM staged_seen WHERE distinct_id IS NOT NULL ORDER BY rowid`);
  await session.run("DROP TABLE staged_seen; DROP TABLE folded_seen");
  return { users, visitors };
}

export const createVisitors = (table: string): string =>
  `CREATE TABLE ${table} (distinct_id VARCHAR, user_id BIGINT)`;
