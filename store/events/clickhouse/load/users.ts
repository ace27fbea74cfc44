import { createYield } from "../../../../base/async/yield.ts";
import type { PreparedUser, SeenUser } from "../../load.ts";
import { linesOf } from "../../prepared-lines.ts";
import type { Property } from "../../schema.ts";
import { applyOperation, newUser, type UserState, userProperties } from "../../user-operations.ts";
import {
  isLoaded,
  propertyColumn,
  userColumns,
  usersTable,
  visitorColumns,
  visitorsTable,
} from "../layout.ts";
import { shardOfUser, shardOfVisitor } from "../shards.ts";
import { insertRows, type NewRow, valueColumns, valuesOf } from "./rows.ts";
import type { Target } from "./target.ts";

export interface UserFiles {
  readonly seenFile?: string | undefined;
  readonly usersFile?: string | undefined;
}

/** What a batch changes of one user. */
interface UserChange {
  readonly operations: PreparedUser[];
  accountId?: string | undefined;
  distinctId?: string | undefined;
  isSeen: boolean;
}

/** A user as stored. */
interface StoredUser {
  readonly accountId: string | null;
  readonly distinctId: string | null;
  readonly state: UserState;
}

/** Users whose rows are read by one statement. */
const usersPerRead = 5_000;

/**
 * Writes a new row for each user that the operations and ids of a batch change: the user's last row is
 * read, and the operations are applied to it. Visitors are added to those of their users.
 */
export async function loadUsers(target: Target, files: UserFiles): Promise<void> {
  const changes = new Map<number, UserChange>();
  const visitors = new Map<string, number>();
  await readOperations(files.usersFile, changes);
  await readSeen(files.seenFile, changes, visitors);
  const rows = new Map<number, NewRow[]>();
  const shards = target.connection.shardCount;
  const byShard = Map.groupBy(changes.keys(), (userId) => shardOfUser(userId, shards));
  await target.connection.onEach(async (shard, signal) => {
    const own: NewRow[] = [];
    const users = byShard.get(shard) ?? [];
    for (let at = 0; at < users.length; at += usersPerRead) {
      const ids = users.slice(at, at + usersPerRead);
      const stored = await readUsers({ ...target, signal }, shard, ids);
      await foldUsers(target, ids, changes, stored, own);
    }
    rows.set(shard, own);
  }, target.signal);
  await insertRows(target, usersTable(target.projectId), userColumnNames(target), rows);
  await insertVisitors(target, visitors);
}

async function readOperations(file: string | undefined, changes: Map<number, UserChange>): Promise<void> {
  if (file === undefined) return;
  for await (const lines of linesOf(file)) {
    for (const line of lines) {
      const operation = JSON.parse(line) as PreparedUser;
      changeOf(changes, operation.u).operations.push(operation);
    }
  }
}

/** A visitor belongs to the user with whom it appears first; a user's ids are the last of each kind. */
async function readSeen(
  file: string | undefined,
  changes: Map<number, UserChange>,
  visitors: Map<string, number>,
): Promise<void> {
  if (file === undefined) return;
  for await (const lines of linesOf(file)) {
    for (const line of lines) {
      const { u, a, d } = JSON.parse(line) as SeenUser;
      const one = changeOf(changes, u);
      one.isSeen = true;
      one.accountId = a ?? one.accountId;
      one.distinctId = d ?? one.distinctId;
      if (d !== undefined && !visitors.has(d)) visitors.set(d, u);
    }
  }
}

function changeOf(changes: Map<number, UserChange>, userId: number): UserChange {
  const known = changes.get(userId);
  if (known !== undefined) return known;
  const added: UserChange = { operations: [], isSeen: false };
  changes.set(userId, added);
  return added;
}

const userPropertiesOf = ({ schema }: Target): readonly Property[] =>
  [...schema.properties.values()].filter(({ table }) => table === "user");

/** Returns the columns of the users of a project, with those of their properties. */
export const userColumnNames = (target: Target): readonly string[] => [
  ...Object.keys(userColumns),
  ...userPropertiesOf(target).map(propertyColumn),
];

async function readUsers(
  target: Target,
  shard: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, StoredUser>> {
  const { connection, projectId, before, signal } = target;
  const users = new Map<number, StoredUser>();
  if (before === undefined) return users;
  const table = usersTable(projectId);
  const properties = userPropertiesOf(target);
  const columns = ["user_id", "account_id", "distinct_id", "empty_lists", ...properties.map(propertyColumn)];
  const rows = await connection.rows<[string, string | null, string | null, number[], ...unknown[]]>(shard, {
    sql: `SELECT ${columns.join(", ")} FROM ${table} WHERE (user_id, batch) IN (
        SELECT user_id, max(batch) FROM ${table} WHERE user_id IN (${ids.join(", ")}) AND ${isLoaded(before)}
        GROUP BY user_id)`,
    signal,
  });
  for (const row of rows) {
    const [userId, accountId, distinctId, emptyLists] = row;
    const values = valuesOf(row, 4, properties);
    for (const number of emptyLists) values.set(number, []);
    users.set(Number(userId), { accountId, distinctId, state: { values, isCleared: false } });
  }
  return users;
}

async function foldUsers(
  { schema, batch }: Target,
  ids: readonly number[],
  changes: ReadonlyMap<number, UserChange>,
  stored: ReadonlyMap<number, StoredUser>,
  rows: NewRow[],
): Promise<void> {
  const properties = userProperties(schema);
  const yieldToEventLoop = createYield();
  for (const userId of ids) {
    const { operations, accountId, distinctId } = changes.get(userId)!;
    const before = stored.get(userId);
    const state = before?.state ?? newUser();
    let isChanged = before === undefined;
    for (const operation of operations) isChanged = applyOperation(state, operation, properties) || isChanged;
    const after = {
      account_id: accountId ?? before?.accountId ?? null,
      distinct_id: distinctId ?? before?.distinctId ?? null,
    };
    isChanged ||= after.account_id !== before?.accountId || after.distinct_id !== before?.distinctId;
    if (isChanged) rows.push({ user_id: userId, ...after, batch, ...columnsOf(state) });
    await yieldToEventLoop();
  }
}

/** Returns the columns of the values of a user. */
export function columnsOf({ values }: Pick<UserState, "values">): NewRow {
  const empty = [...values].filter(([, value]) => Array.isArray(value) && value.length === 0);
  return { empty_lists: empty.map(([number]) => number), ...valueColumns(values) };
}

async function insertVisitors(target: Target, visitors: ReadonlyMap<string, number>): Promise<void> {
  const { connection, batch, projectId } = target;
  const rows = Map.groupBy(
    Array.from(visitors, ([distinctId, userId]) => ({ distinct_id: distinctId, user_id: userId, batch })),
    ({ distinct_id: distinctId }) => shardOfVisitor(distinctId, connection.shardCount),
  );
  await insertRows(target, visitorsTable(projectId), Object.keys(visitorColumns), rows);
}
