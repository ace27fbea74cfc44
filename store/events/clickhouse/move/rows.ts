import type { StoredMemberLine, StoredPart, StoredUserLine, StoredVisitorLine } from "../../contents.ts";
import { cohortColumns, cohortsTable, usersTable, visitorColumns, visitorsTable } from "../layout.ts";
import { insertRows, type NewRow } from "../load/rows.ts";
import type { Target } from "../load/target.ts";
import { columnsOf, userColumnNames } from "../load/users.ts";
import { shardOfUser, shardOfVisitor } from "../shards.ts";

/** How the lines of a part become rows of a table. */
interface PartTable {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rowOf: (line: string) => NewRow;
  readonly shardOf: (row: NewRow) => number;
}

/** Inserts lines of users, visitors or members of a cohort. */
export async function insertLines(target: Target, part: StoredPart, lines: readonly string[]): Promise<void> {
  const { table, columns, rowOf, shardOf } = tableOf(target, part);
  await insertRows(target, table, columns, Map.groupBy(lines.map(rowOf), shardOf));
}

function tableOf(target: Target, part: StoredPart): PartTable {
  switch (part.kind) {
    case "users":
      return users(target);
    case "visitors":
      return visitors(target);
    case "cohort":
      return members(target, part.cohort!);
    default:
      throw new RangeError(`${part.name} has no rows of this kind`);
  }
}

function users(target: Target): PartTable {
  const { connection, projectId, batch } = target;
  return {
    table: usersTable(projectId),
    columns: userColumnNames(target),
    shardOf: (row) => shardOfUser(row["user_id"] as number, connection.shardCount),
    rowOf(line) {
      const { u, a = null, d = null, p = {} } = JSON.parse(line) as StoredUserLine;
      const values = new Map(Object.entries(p).map(([number, value]) => [Number(number), value]));
      return { user_id: u, account_id: a, distinct_id: d, batch, ...columnsOf({ values }) };
    },
  };
}

function visitors({ connection, projectId, batch }: Target): PartTable {
  return {
    table: visitorsTable(projectId),
    columns: Object.keys(visitorColumns),
    shardOf: (row) => shardOfVisitor(row["distinct_id"] as string, connection.shardCount),
    rowOf(line) {
      const { d, u } = JSON.parse(line) as StoredVisitorLine;
      return { distinct_id: d, user_id: u, batch };
    },
  };
}

function members({ connection, projectId, batch }: Target, cohort: StoredPart["cohort"] & object): PartTable {
  const { name, day, kind } = cohort;
  return {
    table: cohortsTable(projectId),
    columns: Object.keys(cohortColumns),
    shardOf: (row) => shardOfUser(row["user_id"] as number, connection.shardCount),
    rowOf(line) {
      const { u, v = null } = JSON.parse(line) as StoredMemberLine;
      return { name, day, kind, user_id: u, value: v, batch };
    },
  };
}
