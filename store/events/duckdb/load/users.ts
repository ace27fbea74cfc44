import { setImmediate } from "node:timers/promises";
import type { PreparedUser } from "../../load.ts";
import { linesOf } from "../../prepared-lines.ts";
import type { ProjectSchema, Property } from "../../schema.ts";
import {
  applyOperation,
  newUser,
  type UserProperties,
  type UserState,
  userProperties,
} from "../../user-operations.ts";
import { type DataTable, propertyColumn, usersTableName } from "../layout.ts";
import type { Session } from "../session.ts";
import { ensureColumns } from "./data-table.ts";
import { usersBase } from "./seen.ts";
import { createScratchFile, fileRelation, type ScratchFile } from "./staging.ts";

/** Work on this many users takes a few milliseconds. */
const usersPerSlice = 500;

interface Fold {
  readonly properties: UserProperties;
  /** The operations of each user in the file, in their order. */
  readonly operations: Map<number, PreparedUser[]>;
  /** The columns that operations may change. */
  readonly touched: readonly Property[];
}

/** A user whose row is to be written; keys as in the file of changed users. */
interface ChangedUser {
  readonly u: number;
  /** Whether all other columns lose their values. */
  readonly c: boolean;
  /** Whether the user is new. */
  readonly n: boolean;
  readonly p: Readonly<Record<string, unknown>>;
}

const changedKeys = {
  u: ["user_id", "BIGINT"],
  c: ["is_cleared", "BOOLEAN"],
  n: ["is_new", "BOOLEAN"],
} as const;

/**
 * Applies the operations of a file: reads the rows of its users, applies the operations to them and
 * writes the changed ones.
 */
export async function loadUsers(
  session: Session,
  projectId: number,
  existing: DataTable | undefined,
  file: string,
  schema: ProjectSchema,
  scratchFolder: string,
): Promise<DataTable> {
  const fold = await readOperations(file, schema);
  await using changed = await createScratchFile(scratchFolder);
  if (existing !== undefined) await foldKnown(session, existing, file, fold, changed);
  await foldUnknown(fold, changed);
  const name = usersTableName(projectId);
  const table = await ensureColumns(session, name, existing, usersBase, fold.touched);
  await session.run(
    `CREATE TEMP TABLE changed_users AS FROM ${fileRelation(changed.path, changedKeys, fold.touched)}`,
  );
  await updateKnown(session, table, fold.touched, schema);
  const columns = ["user_id", ...fold.touched.map(propertyColumn)].join(", ");
  await session.run(`INSERT INTO ${name} (${columns}) SELECT ${columns} FROM changed_users WHERE is_new`);
  await session.run("DROP TABLE changed_users");
  return table;
}

async function readOperations(file: string, schema: ProjectSchema): Promise<Fold> {
  const properties = userProperties(schema);
  const operations = new Map<number, PreparedUser[]>();
  const numbers = new Set<number>();
  for await (const lines of linesOf(file)) {
    for (const line of lines) {
      const operation = JSON.parse(line) as PreparedUser;
      const before = operations.get(operation.u);
      if (before === undefined) operations.set(operation.u, [operation]);
      else before.push(operation);
      for (const key of Object.keys(operation.p)) numbers.add(Number(key));
    }
  }
  for (const number of [...numbers])
    for (const member of properties.get(number)?.members ?? []) numbers.add(member);
  const touched = [...schema.properties.values()].filter(
    ({ table, number }) => table === "user" && numbers.has(number),
  );
  return { properties, operations, touched };
}

async function foldKnown(
  session: Session,
  existing: DataTable,
  file: string,
  { properties, operations, touched }: Fold,
  changed: ScratchFile,
): Promise<void> {
  const present = touched.filter(({ number }) => existing.properties.has(number));
  // The values are one text, which is parsed several times faster than each value is converted.
  const fields = present.map((one) => `"${one.number}": ${propertyColumn(one)}`);
  const values = fields.length === 0 ? "'{}'" : `to_json({${fields.join(", ")}})::VARCHAR`;
  const ids = fileRelation(file, { u: ["user_id", "BIGINT"] }, []);
  const rows = session.stream(
    `SELECT user_id, ${values} FROM ${existing.table} SEMI JOIN ${ids} USING (user_id)`,
  );
  for await (const chunk of rows) {
    const [userIds, texts] = chunk.getColumns() as [bigint[], string[]];
    for (let from = 0; from < userIds.length; from += usersPerSlice) {
      const written: ChangedUser[] = [];
      for (let at = from; at < Math.min(from + usersPerSlice, userIds.length); at++) {
        const userId = Number(userIds[at]);
        const user: UserState = { values: parseValues(texts[at]!), isCleared: false };
        const isChanged = applyAll(user, operations.get(userId)!, properties);
        operations.delete(userId);
        if (isChanged) written.push(changedUser(userId, user, false));
      }
      await changed.write(written);
    }
  }
}

function parseValues(text: string): Map<number, unknown> {
  const values = new Map<number, unknown>();
  for (const [key, value] of Object.entries(JSON.parse(text) as object))
    if (value !== null) values.set(Number(key), value);
  return values;
}

async function foldUnknown({ properties, operations }: Fold, changed: ScratchFile): Promise<void> {
  let written: ChangedUser[] = [];
  for (const [userId, list] of operations) {
    const user = newUser();
    applyAll(user, list, properties);
    written.push(changedUser(userId, user, true));
    if (written.length < usersPerSlice) continue;
    await changed.write(written);
    await setImmediate();
    written = [];
  }
  await changed.write(written);
}

function applyAll(user: UserState, operations: readonly PreparedUser[], properties: UserProperties): boolean {
  let isChanged = false;
  for (const operation of operations) isChanged = applyOperation(user, operation, properties) || isChanged;
  return isChanged;
}

function changedUser(userId: number, { isCleared, values }: UserState, isNew: boolean): ChangedUser {
  return { u: userId, c: isCleared, n: isNew, p: Object.fromEntries(values) };
}

async function updateKnown(
  session: Session,
  { table, properties: has }: DataTable,
  touched: readonly Property[],
  schema: ProjectSchema,
): Promise<void> {
  const set = touched.map(propertyColumn).map((name) => `${name} = c.${name}`);
  const from = `FROM changed_users AS c WHERE u.user_id = c.user_id AND NOT c.is_new`;
  if (set.length > 0) await session.run(`UPDATE ${table} AS u SET ${set.join(", ")} ${from}`);
  const isTouched = new Set(touched);
  const others = [...schema.properties.values()].filter(
    (one) => one.table === "user" && has.has(one.number) && !isTouched.has(one),
  );
  const [[isAnyCleared] = []] = await session.rows<[boolean | null]>(
    "SELECT bool_or(is_cleared AND NOT is_new) FROM changed_users",
  );
  if (!isAnyCleared || others.length === 0) return;
  const cleared = others.map((one) => `${propertyColumn(one)} = NULL`);
  await session.run(`UPDATE ${table} AS u SET ${cleared.join(", ")} ${from} AND c.is_cleared`);
}
