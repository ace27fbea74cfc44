import type { StoredIdentity } from "../../events.ts";
import { type ProjectTables, visitorsRelation } from "../layout.ts";
import type { Snapshot } from "./query.ts";

type Row = readonly [
  userId: bigint | null,
  accountId: string | null,
  distinctId: string | null,
  hasAccount: boolean,
];

/**
 * Reads the known ids of users: from the tables of users and visitors, and from events, which keep the
 * ids of deleted users.
 */
export async function* readIdentities(
  snapshot: Snapshot,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredIdentity[], void> {
  for (const project of snapshot.tables.projects.values()) {
    for (const sql of await prepare(snapshot, project)) {
      signal.throwIfAborted();
      for await (const chunk of snapshot.stream(sql)) {
        const rows = chunk.getRows() as unknown as readonly Row[];
        yield rows.flatMap((row) => identityOf(project.projectId, row));
      }
    }
    await snapshot.run("DROP TABLE known_ids; DROP TABLE known_accounts");
  }
}

function identityOf(projectId: number, [userId, accountId, distinctId, hasAccount]: Row): StoredIdentity[] {
  if (userId === null) return [];
  return [
    {
      projectId,
      hasAccount,
      userId: Number(userId),
      accountId: accountId ?? undefined,
      distinctId: distinctId ?? undefined,
    },
  ];
}

/** Collects the known ids in temporary tables; returns the statements which read them. */
async function prepare(snapshot: Snapshot, project: ProjectTables): Promise<readonly string[]> {
  const { users, days, updatable, cohorts } = project;
  const columns = "user_id, account_id, distinct_id";
  const tables = [...days.values(), updatable, users].filter((one) => one !== undefined);
  await snapshot.run(`CREATE TEMP TABLE known_ids (user_id BIGINT, account_id VARCHAR, distinct_id VARCHAR)`);
  for (const { table } of tables) {
    await snapshot.run(`INSERT INTO known_ids SELECT DISTINCT ${columns} FROM ${table}`);
  }
  for (const { table } of cohorts) {
    await snapshot.run(`INSERT INTO known_ids SELECT max(user_id), NULL, NULL FROM ${table}`);
  }
  await snapshot.run(`CREATE TEMP TABLE known_accounts AS
    SELECT account_id, min(user_id) AS user_id FROM known_ids WHERE account_id IS NOT NULL GROUP BY account_id`);
  // A visitor beside an account may be another user, so only a visitor without an account determines its user.
  const visitors = `SELECT distinct_id, coalesce(min(user_id) FILTER (WHERE rank = 0), min(user_id)) AS user_id FROM (
      SELECT distinct_id, user_id, 0 AS rank FROM ${visitorsRelation(project)}
      UNION ALL
      SELECT distinct_id, user_id, 1 FROM known_ids WHERE account_id IS NULL AND distinct_id IS NOT NULL)
    GROUP BY distinct_id`;
  return [
    "SELECT user_id, account_id, NULL::VARCHAR, true FROM known_accounts",
    `SELECT v.user_id, NULL::VARCHAR, v.distinct_id, v.user_id IN (SELECT user_id FROM known_accounts)
      FROM (${visitors}) v`,
    "SELECT max(user_id), NULL::VARCHAR, NULL::VARCHAR, false FROM known_ids",
  ];
}
