import type { CohortCounts, CohortInfo, CohortMember, CohortVersion } from "../events.ts";
import { cohortTableName, type ProjectTables, visitorsRelation } from "./layout.ts";
import { emptyProject, nextVersion } from "./load/load.ts";
import { createScratchFile, fileRelation } from "./load/staging.ts";
import type { Session, Values } from "./session.ts";
import type { Writer } from "./writer.ts";

const memberKeys = {
  a: ["account_id", "VARCHAR"],
  d: ["distinct_id", "VARCHAR"],
  u: ["user_id", "BIGINT"],
  v: ["value", "VARCHAR"],
} as const;

/**
 * Creates or replaces a version of a cohort. A member is the user of its user id, otherwise of its
 * account, otherwise of its visitor. If a user appears more than once, the last value counts.
 */
export async function importCohort(
  { writer, scratchFolder }: { readonly writer: Writer; readonly scratchFolder: string },
  version: CohortVersion,
  members: AsyncIterable<readonly CohortMember[]>,
): Promise<CohortCounts> {
  await using file = await createScratchFile(scratchFolder);
  for await (const some of members) await file.write(some.map(memberLine));
  return await writer.write(async (session, all) => {
    const { projectId, name, day } = version;
    const before = all.projects.get(projectId);
    const old = before ?? emptyProject(projectId);
    const number = Math.max(0, ...old.cohorts.map((one) => one.number)) + 1;
    const replaced = old.cohorts.filter((one) => one.name === name && one.day === day);
    for (const one of replaced) await dropVersion(session, projectId, one);
    const table = cohortTableName(projectId, number);
    const counts = await resolveMembers(session, old, table, file.path);
    const row: Values = [projectId, number, name, day, version.kind, counts.members];
    await session.run("INSERT INTO clusters VALUES ($1, $2, $3, $4, $5, $6)", row);
    const schema = { ...old.schema, version: await nextVersion(session, before, projectId) };
    const added = { table, number, name, day, kind: version.kind, members: counts.members };
    const cohorts = [...old.cohorts.filter((one) => !replaced.includes(one)), added];
    const projects = new Map(all.projects).set(projectId, { ...old, schema, cohorts });
    const tables = { loadedTo: all.loadedTo, projects };
    return { tables, result: counts };
  });
}

function memberLine({ accountId, distinctId, userId, value }: CohortMember): object {
  return { a: accountId, d: distinctId, u: userId === undefined ? undefined : String(userId), v: value };
}

async function dropVersion(
  session: Session,
  projectId: number,
  { table, number }: ProjectTables["cohorts"][number],
): Promise<void> {
  await session.run(`DROP TABLE ${table}`);
  await session.run(`DELETE FROM clusters WHERE project = ${projectId} AND number = ${number}`);
}

async function resolveMembers(
  session: Session,
  project: ProjectTables,
  table: string,
  file: string,
): Promise<CohortCounts> {
  await session.run(`CREATE TEMP TABLE staged_members AS FROM ${fileRelation(file, memberKeys, [])}`);
  const known = project.users?.table ?? "(SELECT NULL::BIGINT user_id, NULL::VARCHAR account_id)";
  const isNamed = "distinct_id IN (SELECT distinct_id FROM staged_members)";
  const idsBy = (column: string) =>
    `(SELECT ${column} AS id, min(user_id) AS user_id FROM ${known} WHERE ${column} IN (SELECT ${column} FROM staged_members)
      GROUP BY ${column})`;
  await session.run(
    `CREATE TEMP TABLE resolved_members AS
     SELECT coalesce(i.user_id, a.user_id, d.user_id) AS user_id, m.value, m.rowid AS line
     FROM staged_members m
     LEFT JOIN ${idsBy("user_id")} i ON i.id = m.user_id
     LEFT JOIN ${idsBy("account_id")} a ON a.id = m.account_id AND m.user_id IS NULL
     LEFT JOIN ${visitorsRelation(project, isNamed)} d
       ON d.distinct_id = m.distinct_id AND m.account_id IS NULL AND m.user_id IS NULL`,
  );
  await session.run(
    `CREATE TABLE ${table} AS SELECT user_id, arg_max_null(value, line) AS value
     FROM resolved_members WHERE user_id IS NOT NULL GROUP BY user_id ORDER BY user_id`,
  );
  const [[members, unknown] = []] = await session.rows<[bigint, bigint]>(
    `SELECT (SELECT count(*) FROM ${table}), (SELECT count(*) FROM resolved_members WHERE user_id IS NULL)`,
  );
  await session.run("DROP TABLE staged_members; DROP TABLE resolved_members");
  return { members: Number(members), unknown: Number(unknown) };
}

export function cohortInfos(project: ProjectTables | undefined): readonly CohortInfo[] {
  return (project?.cohorts ?? []).map(({ name, day, kind, members }) => ({
    projectId: project!.projectId,
    name,
    day,
    kind,
    members,
  }));
}
