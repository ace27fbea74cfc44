import { DuckDBListValue } from "@duckdb/node-api";
import { parseExactJson } from "../events.ts";
import type { StoredUser, UserScan } from "../scan.ts";
import type { ProjectSchema, Property } from "../schema.ts";
import type { UserSelection } from "../selection.ts";
import type { Statement } from "../sql/parameters.ts";
import { compileSelection } from "../sql/selection.ts";
import { compileUsers } from "../sql/users.ts";
import { bound } from "./bind.ts";
import type { Queries, Query } from "./connection.ts";
import { duckdbDialect } from "./dialect.ts";
import { propertyColumn } from "./layout.ts";
import { PackedRow, packTexts } from "./packed-texts.ts";
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
  const isText = ({ type, group }: Property) => group === undefined && textTypes.has(type);
  const [texts, others] = [properties.filter(isText), properties.filter((one) => !isText(one))];
  const packed = packTexts(
    statement,
    ["account_id", "distinct_id", ...texts.map(propertyColumn)],
    ["user_id", ...others.map(propertyColumn)],
  );
  const places = properties.map((property) => packed.columns.get(propertyColumn(property))!);
  const userId = packed.columns.get("user_id")!;
  for await (const chunk of query.stream(...bound(packed.statement))) {
    const rows = new PackedRow(chunk, texts.length + 2);
    for (let row = 0; row < chunk.rowCount; row += pageRows) {
      const users: StoredUser[] = [];
      for (let one = row; one < Math.min(chunk.rowCount, row + pageRows); one++) {
        rows.moveTo(one);
        users.push(decodeUser(rows, userId, properties, places));
      }
      yield users;
    }
  }
}

/** Stored as texts. */
const textTypes: ReadonlySet<Property["type"]> = new Set(["text", "object", "object_group"]);

/** All when none are named. */
function wantedProperties(
  named: readonly Property[] | undefined,
  { properties }: ProjectSchema,
): readonly Property[] {
  return (named ?? [...properties.values()]).filter(({ table }) => table === "user");
}

function decodeUser(
  rows: PackedRow,
  userId: number,
  properties: readonly Property[],
  places: readonly number[],
): StoredUser {
  // No name begins with an underscore, so none is that of the prototype.
  const values: Record<string, unknown> = {};
  for (let index = 0; index < properties.length; index++) {
    const value = rows.value(places[index]!);
    const property = properties[index]!;
    if (value !== null && value !== undefined) values[property.name] = decodeValue(value, property);
  }
  return {
    userId: rows.value(userId) as bigint,
    accountId: rows.value(1) as string | null,
    distinctId: rows.value(2) as string | null,
    properties: values,
  };
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
