import type { UserIdentifier } from "../../deletions.ts";
import type { CohortCounts, CohortInfo, CohortMember, CohortVersion } from "../../events.ts";
import type { Columns } from "../ddl/columns.ts";
import { cohortColumns, cohortsTable, isLoaded, usersTable } from "../layout.ts";
import { insertRows, type NewRow, textLiteral } from "../load/rows.ts";
import type { Project } from "../projects.ts";
import { visitorsRelation } from "../read/relations.ts";
import { readRows } from "../read/row-stream.ts";
import { shardOfUser } from "../shards.ts";
import type { RetentionSource } from "./retention.ts";

/** Members who are looked up by one statement. */
const membersPerRead = 10_000;

/**
 * Creates or replaces a version of a cohort. A member is the user of its user id, otherwise of its
 * account, otherwise of its visitor. If a user appears more than once, the last value counts.
 */
export async function importCohort(
  source: RetentionSource & { readonly columns: Columns },
  version: CohortVersion,
  members: AsyncIterable<readonly CohortMember[]>,
): Promise<CohortCounts> {
  const { connection, ledger, projects } = source;
  const { projectId, name, day, kind } = version;
  const project = await projects.snapshot(projectId);
  const values = new Map<number, string | null>();
  let unknown = 0;
  for await (const some of members) {
    for (let at = 0; at < some.length; at += membersPerRead) {
      const part = some.slice(at, at + membersPerRead);
      const users = await findUsers(source, project, part);
      for (const [index, userId] of users.entries()) {
        if (userId === undefined) unknown++;
        else values.set(userId, part[index]!.value ?? null);
      }
    }
  }
  await source.columns.ensure(projectId, [], []);
  const batch = await ledger.call("beginCohort", projectId);
  try {
    const rows = Array.from(
      values,
      ([userId, value]): NewRow => ({ name, day, kind, user_id: userId, value, batch }),
    );
    const byShard = Map.groupBy(rows, (row) => shardOfUser(row["user_id"] as number, connection.shardCount));
    const { signal } = new AbortController();
    await insertRows({ connection, signal }, cohortsTable(projectId), Object.keys(cohortColumns), byShard);
    await ledger.call("completeCohort", batch, version, values.size);
  } catch (error) {
    await ledger.call("abandonBatch", batch).catch(() => undefined);
    throw error;
  }
  await projects.snapshot(projectId);
  return { members: values.size, unknown };
}

/** Returns the user of each identifier; undefined for unknown ones. */
export async function findUsers(
  source: RetentionSource,
  project: Project | undefined,
  members: readonly UserIdentifier[],
): Promise<readonly (number | undefined)[]> {
  if (project === undefined || project.watermark === 0) return members.map(() => undefined);
  const ids = members.flatMap(({ userId }) => userId ?? []).map(String);
  const accounts = members.flatMap((one) => (one.userId === undefined ? (one.accountId ?? []) : []));
  const isVisitor = (one: UserIdentifier): boolean => one.userId === undefined && one.accountId === undefined;
  const visitors = members.filter(isVisitor).flatMap(({ distinctId }) => distinctId ?? []);
  const byId = await lookUp(source, ids, (list) => usersById(project, list));
  const byAccount = await lookUp(source, accounts.map(textLiteral), (list) => usersByAccount(project, list));
  const byVisitor = await lookUp(source, visitors.map(textLiteral), (list) => usersByVisitor(project, list));
  return members.map((member) => {
    if (member.userId !== undefined) return byId.get(String(member.userId));
    if (member.accountId !== undefined) return byAccount.get(member.accountId);
    return member.distinctId === undefined ? undefined : byVisitor.get(member.distinctId);
  });
}

/** Returns the lowest user of each key on any shard. */
async function lookUp(
  { connection }: RetentionSource,
  literals: readonly string[],
  compile: (list: string) => string,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  if (literals.length === 0) return found;
  const sql = compile([...new Set(literals)].join(", "));
  const parts = await connection.onEach((shard, signal) =>
    readRows<[string, string]>(connection, shard, { sql, signal }),
  );
  for (const [key, userId] of parts.flat())
    found.set(key, Math.min(found.get(key) ?? Number.POSITIVE_INFINITY, Number(userId)));
  return found;
}

function usersById(project: Project, list: string): string {
  return `SELECT DISTINCT user_id, user_id FROM ${usersTable(project.projectId)}
    WHERE user_id IN (${list}) AND ${isLoaded(project)}`;
}

/** The account of a user is that of its latest row. */
function usersByAccount(project: Project, list: string): string {
  const from = `FROM ${usersTable(project.projectId)} WHERE ${isLoaded(project)}`;
  const candidates = `SELECT user_id ${from} AND account_id IN (${list})`;
  const latest = `SELECT user_id, argMax(tuple(account_id), batch).1 AS account ${from}
    AND user_id IN (${candidates}) GROUP BY user_id`;
  return `SELECT account, min(user_id) FROM (${latest}) WHERE account IN (${list}) GROUP BY account`;
}

function usersByVisitor(project: Project, list: string): string {
  return `SELECT distinct_id, user_id FROM ${visitorsRelation(project, `distinct_id IN (${list})`)}`;
}

export function cohortInfos(project: Project | undefined): readonly CohortInfo[] {
  return (project?.cohorts ?? []).map(({ name, day, kind, members }) => ({
    projectId: project!.projectId,
    name,
    day,
    kind,
    members,
  }));
}
