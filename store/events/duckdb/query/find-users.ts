import type { UserIdentifier } from "../../deletions.ts";
import { type ProjectTables, visitorsRelation } from "../layout.ts";
import type { Snapshot } from "./query.ts";

/** Returns the user of each identifier: of its user id, otherwise of its account, otherwise of its visitor. */
export async function findUsers(
  snapshot: Snapshot,
  projectId: number,
  identifiers: readonly UserIdentifier[],
): Promise<readonly (number | undefined)[]> {
  const project = snapshot.tables.projects.get(projectId);
  if (project?.users === undefined) return identifiers.map(() => undefined);
  const keys = identifiers.map(keyOf);
  const find = (kind: Key["kind"], relation: (list: string) => string) =>
    lookUp(
      snapshot,
      keys.filter((key) => key?.kind === kind).map((key) => key!.id),
      relation,
    );
  const { table } = project.users;
  const byColumn = (column: string) => (list: string) =>
    `SELECT ${column}::VARCHAR, min(user_id) FROM ${table} WHERE ${column} IN (${list}) GROUP BY ${column}`;
  const found = {
    user: await find("user", byColumn("user_id")),
    account: await find("account", byColumn("account_id")),
    visitor: await find("visitor", visitorsBy(project)),
  };
  return keys.map((key) => (key === undefined ? undefined : found[key.kind].get(String(key.id))));
}

interface Key {
  readonly kind: "user" | "account" | "visitor";
  readonly id: string | bigint;
}

function keyOf({ userId, accountId, distinctId }: UserIdentifier): Key | undefined {
  if (userId !== undefined) return { kind: "user", id: userId };
  if (accountId !== undefined) return { kind: "account", id: accountId };
  return distinctId === undefined ? undefined : { kind: "visitor", id: distinctId };
}

const visitorsBy = (project: ProjectTables) => (list: string) =>
  `SELECT distinct_id, user_id FROM ${visitorsRelation(project, `distinct_id IN (${list})`)}`;

async function lookUp(
  snapshot: Snapshot,
  ids: readonly Key["id"][],
  relation: (list: string) => string,
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const list = ids.map((_, at) => `$${at + 1}`).join(", ");
  const rows = await snapshot.rows<[string, bigint]>(relation(list), [...ids]);
  return new Map(rows.map(([id, userId]) => [id, Number(userId)]));
}
