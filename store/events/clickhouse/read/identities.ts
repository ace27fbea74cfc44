import type { StoredIdentity } from "../../events.ts";
import type { Connection } from "../connection.ts";
import {
  cohortsTable,
  eventsTable,
  isLoaded,
  type ProjectSnapshot,
  updatableTable,
  usersTable,
} from "../layout.ts";
import { visitorsRelation } from "./relations.ts";
import { oneByOne, readRows, streamMerged } from "./row-stream.ts";

const identitiesPerPart = 1_024;

/**
 * Returns the known ids of the users of a project: accounts from the tables of users and events,
 * visitors from their table, and the highest user id.
 */
export async function* readIdentities(
  connection: Connection,
  project: ProjectSnapshot,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredIdentity[], void> {
  let part: StoredIdentity[] = [];
  for await (const identity of identitiesOf(connection, project, signal)) {
    part.push(identity);
    if (part.length < identitiesPerPart) continue;
    yield part;
    part = [];
  }
  yield part;
}

async function* identitiesOf(
  connection: Connection,
  project: ProjectSnapshot,
  signal: AbortSignal,
): AsyncGenerator<StoredIdentity, void> {
  const { projectId } = project;
  for await (const [accountId, userId] of accountsOf(connection, project, signal))
    yield { projectId, userId, accountId, hasAccount: true };
  yield* visitorsOf(connection, project, signal);
  const tables = [...tablesOf(project).map((table) => `${table} WHERE ${isLoaded(project)}`)];
  const all = [...tables, cohortsTable(projectId)].map((from) => `SELECT max(user_id) AS id FROM ${from}`);
  const sql = `SELECT max(id) FROM (${all.join(" UNION ALL ")})`;
  const highest = await connection.onEach(
    (shard, ended) => readRows<[string]>(connection, shard, { sql, signal: ended }),
    signal,
  );
  const userId = Math.max(...highest.flat().map(([id]) => Number(id)));
  if (userId > 0) yield { projectId, userId, hasAccount: false };
}

const tablesOf = ({ projectId }: ProjectSnapshot): readonly string[] => [
  eventsTable(projectId),
  updatableTable(projectId),
  usersTable(projectId),
];

/** Returns the accounts and the lowest user of each. */
async function* accountsOf(
  connection: Connection,
  project: ProjectSnapshot,
  signal: AbortSignal,
): AsyncGenerator<readonly [accountId: string, userId: number], void> {
  const all = tablesOf(project).map(
    (table) =>
      `SELECT account_id, user_id FROM ${table} WHERE ${isLoaded(project)} AND account_id IS NOT NULL`,
  );
  // In the order of bytes in hexadecimal, which is that of JavaScript too.
  const sql = `SELECT hex(account_id) AS k, any(account_id), min(user_id) FROM (${all.join(" UNION ALL ")})
    GROUP BY k ORDER BY k`;
  let last: [key: string, accountId: string, userId: number] | undefined;
  const rows = streamMerged<[string, string, string]>(connection, { sql, signal }, ([key]) => key);
  for await (const [key, accountId, id] of oneByOne(rows)) {
    if (last !== undefined && last[0] !== key) yield [last[1], last[2]];
    const before = last?.[0] === key ? last[2] : Number.POSITIVE_INFINITY;
    last = [key, accountId, Math.min(before, Number(id))];
  }
  if (last !== undefined) yield [last[1], last[2]];
}

/** Returns the visitors by user, with whether the user has an account. */
async function* visitorsOf(
  connection: Connection,
  project: ProjectSnapshot,
  signal: AbortSignal,
): AsyncGenerator<StoredIdentity, void> {
  const all = tablesOf(project).map(
    (table) => `SELECT user_id FROM ${table} WHERE ${isLoaded(project)} AND account_id IS NOT NULL`,
  );
  const withAccount = oneByOne(
    streamMerged<[string]>(
      connection,
      { sql: `SELECT DISTINCT user_id FROM (${all.join(" UNION ALL ")}) ORDER BY user_id`, signal },
      ([id]) => Number(id),
    ),
  );
  const visitors = streamMerged<[string, string]>(
    connection,
    { sql: `SELECT user_id, distinct_id FROM ${visitorsRelation(project)} ORDER BY user_id`, signal },
    ([id]) => Number(id),
  );
  try {
    let next = await withAccount.next();
    for await (const [id, distinctId] of oneByOne(visitors)) {
      const userId = Number(id);
      while (next.done !== true && Number(next.value[0]) < userId) next = await withAccount.next();
      const hasAccount = next.done !== true && Number(next.value[0]) === userId;
      yield { projectId: project.projectId, userId, distinctId, hasAccount };
    }
  } finally {
    await withAccount.return();
  }
}
