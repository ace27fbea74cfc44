import type { DuckDBVector } from "@duckdb/node-api";
import { DuckDBListValue } from "@duckdb/node-api";
import { parseExactJson } from "../exact-json.ts";
import type { StoredUser, UserScan } from "../scan.ts";
import type { ProjectSchema, Property } from "../schema.ts";
import type { UserSelection } from "../selection.ts";
import type { Statement } from "../sql/parameters.ts";
import { compileSelection } from "../sql/selection.ts";
import { compileUsers } from "../sql/users.ts";
import { bound } from "./bind.ts";
import type { Queries, Query } from "./connection.ts";
import { duckdbDialect } from "./dialect.ts";
import { relationsOf } from "./relations.ts";

/** So many at a time; decoding more would hold the event loop. */
const pageRows = 256;

export async function* streamUsers(
  queries: Queries,
  scan: UserScan,
  signal: AbortSignal,
): AsyncIterable<readonly StoredUser[]> {
  await using query = await queries.open(signal);
  const relations = relationsOf(query.tables, scan.scan.projectId);
  const properties = wantedProperties(scan.properties, relations.schema);
  const statement = compileUsers(scan, properties, relations, duckdbDialect);
  if (statement !== undefined) yield* pages(query, statement, properties);
}

export async function* selectUsers(
  queries: Queries,
  selection: UserSelection,
  signal: AbortSignal,
): AsyncIterable<readonly StoredUser[]> {
  await using query = await queries.open(signal);
  const relations = relationsOf(query.tables, selection.projectId);
  const properties = wantedProperties(selection.properties, relations.schema);
  yield* pages(query, compileSelection(selection, properties, relations, duckdbDialect), properties);
}

async function* pages(
  query: Query,
  statement: Statement,
  properties: readonly Property[],
): AsyncIterable<readonly StoredUser[]> {
  for await (const chunk of query.stream(...bound(statement))) {
    // Each time the vectors are asked for, their memory is looked up anew.
    const vectors = Array.from({ length: chunk.columnCount }, (_, index) => chunk.getColumnVector(index));
    for (let row = 0; row < chunk.rowCount; row += pageRows) {
      yield decodeUsers(vectors, [row, Math.min(chunk.rowCount, row + pageRows)], properties);
    }
  }
}

/** All when none are named. */
function wantedProperties(
  named: readonly Property[] | undefined,
  { properties }: ProjectSchema,
): readonly Property[] {
  return (named ?? [...properties.values()]).filter(({ table }) => table === "user");
}

function decodeUsers(
  [userId, accountId, distinctId, ...columns]: readonly DuckDBVector[],
  [from, to]: readonly [number, number],
  properties: readonly Property[],
): StoredUser[] {
  const users: StoredUser[] = [];
  for (let row = from; row < to; row++) {
    users.push({
      userId: item(userId, row) as bigint,
      accountId: item(accountId, row) as string | null,
      distinctId: item(distinctId, row) as string | null,
      properties: decodeProperties(columns, row, properties),
    });
  }
  return users;
}

function decodeProperties(columns: readonly DuckDBVector[], row: number, properties: readonly Property[]) {
  // No name begins with an underscore, so none is that of the prototype.
  const values: Record<string, unknown> = {};
  for (let index = 0; index < properties.length; index++) {
    const value = item(columns[index], row);
    const property = properties[index]!;
    if (value !== null && value !== undefined) values[property.name] = decodeValue(value, property);
  }
  return values;
}

/** What an API shows of a stored value: times as text, objects as objects. */
function decodeValue(value: unknown, { type, group }: Property): unknown {
  if (value instanceof DuckDBListValue) {
    return type === "list" && group === undefined
      ? value.items
      : value.items.map((one) => decodeScalar(one, type));
  }
  return decodeScalar(value, type);
}

function decodeScalar(value: unknown, type: Property["type"]): unknown {
  if (value === null) return null;
  if (type === "time") return new Date(Number(value)).toISOString().replace("T", " ").slice(0, -1);
  return type === "object" || type === "object_group" ? parseExactJson(value as string) : value;
}

const item = (vector: DuckDBVector | undefined, row: number): unknown => vector?.getItem(row);
