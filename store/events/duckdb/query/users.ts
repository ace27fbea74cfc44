import { DuckDBListValue, type DuckDBMaterializedResult } from "@duckdb/node-api";
import { createYield } from "../../../../base/async/yield.ts";
import { parseWithBigInts } from "../../../../base/json/exact-numbers.ts";
import type { Asker, StoredUser, UserScan } from "../../scan.ts";
import type { ProjectSchema, Property } from "../../schema.ts";
import type { UserSelection } from "../../selection.ts";
import type { Statement } from "../../sql/parameters.ts";
import { compileSelection } from "../../sql/selection.ts";
import { compileUsers } from "../../sql/users.ts";
import type { Queries } from "../connection.ts";
import { propertyColumn, type StoreTables } from "../layout.ts";
import { bound } from "./bind.ts";
import { duckdbDialect } from "./dialect.ts";
import { PackedRow, packTexts } from "./packed-texts.ts";
import { relationsOf } from "./relations.ts";

/** So many at a time; decoding more would hold the event loop. */
const turnRows = 256;
/** So many are read of those put aside in one statement, of which each takes a millisecond. */
const pageRows = 16_384;

export async function* streamUsers(
  queries: Queries,
  scan: UserScan,
  signal: AbortSignal,
): AsyncIterable<readonly StoredUser[]> {
  const prepare = (tables: StoreTables): Prepared | undefined => {
    const relations = relationsOf(tables, scan.scan.projectId);
    const properties = wantedProperties(scan.properties, relations.schema);
    const statement = compileUsers(scan, properties, relations, duckdbDialect);
    return statement && prepareRows(statement, properties);
  };
  if (scan.limit === undefined) yield* keepAndRead(queries, scan.scan, prepare, signal);
  else yield* readAtOnce(queries, scan.scan, prepare, signal);
}

export async function* selectUsers(
  queries: Queries,
  selection: UserSelection,
  signal: AbortSignal,
): AsyncIterable<readonly StoredUser[]> {
  const prepare = (tables: StoreTables): Prepared => {
    const relations = relationsOf(tables, selection.projectId);
    const properties = wantedProperties(selection.properties, relations.schema);
    return prepareRows(compileSelection(selection, properties, relations, duckdbDialect), properties);
  };
  yield* keepAndRead(queries, selection, prepare, signal);
}

/** A statement, and how users are read from its rows. */
interface Prepared {
  readonly statement: Statement;
  readonly textCount: number;
  readonly userId: number;
  readonly properties: readonly Property[];
  readonly places: readonly number[];
}

type Prepare = (tables: StoreTables) => Prepared | undefined;

function prepareRows(given: Statement, properties: readonly Property[]): Prepared {
  const isText = ({ type, group }: Property) => group === undefined && textTypes.has(type);
  const [texts, others] = [properties.filter(isText), properties.filter((one) => !isText(one))];
  const { statement, columns } = packTexts(
    given,
    ["account_id", "distinct_id", ...texts.map(propertyColumn)],
    ["user_id", ...others.map(propertyColumn)],
  );
  const places = properties.map((property) => columns.get(propertyColumn(property))!);
  return { statement, properties, places, textCount: texts.length + 2, userId: columns.get("user_id")! };
}

/** Of a few users, who stay in memory. */
async function* readAtOnce(
  queries: Queries,
  asker: Asker,
  prepare: Prepare,
  signal: AbortSignal,
): AsyncIterable<readonly StoredUser[]> {
  const found = await runAtOnce(queries, asker, prepare, signal);
  if (found !== undefined) yield* decode(found.result, found.prepared);
}

async function runAtOnce(queries: Queries, asker: Asker, prepare: Prepare, signal: AbortSignal) {
  await using query = await queries.open(asker, signal);
  const prepared = prepare(query.tables);
  if (prepared === undefined) return undefined;
  const [sql, ...bindings] = bound(prepared.statement);
  return { prepared, result: await query.run(`${sql} ORDER BY user_id`, ...bindings) };
}

/** Of any number, who are put aside: a snapshot and a slot are not held for as long as a reader takes. */
async function* keepAndRead(
  queries: Queries,
  asker: Asker,
  prepare: Prepare,
  signal: AbortSignal,
): AsyncIterable<readonly StoredUser[]> {
  const letGo = await queries.keep(asker, signal);
  try {
    await using query = await queries.open(asker, signal);
    const prepared = prepare(query.tables);
    if (prepared === undefined) return;
    const [sql, ...bindings] = bound(prepared.statement);
    const placed = `SELECT *, row_number() OVER (ORDER BY user_id) AS place FROM (${sql}) p`;
    await query.run(`CREATE TEMP TABLE found AS ${placed}`, ...bindings);
    await query.settle();
    for (let from = 0; ; from += pageRows) {
      const page = `place > ${from} AND place <= ${from + pageRows}`;
      const result = await query.run(`SELECT * FROM temp.found WHERE ${page} ORDER BY place`);
      yield* decode(result, prepared);
      if (result.rowCount < pageRows) return;
    }
  } finally {
    letGo();
  }
}

async function* decode(
  result: DuckDBMaterializedResult,
  { textCount, userId, properties, places }: Prepared,
): AsyncIterable<readonly StoredUser[]> {
  const yieldToEventLoop = createYield();
  for (let index = 0; index < result.chunkCount; index++) {
    const chunk = result.getChunk(index);
    const rows = new PackedRow(chunk, textCount);
    for (let row = 0; row < chunk.rowCount; row += turnRows) {
      const users: StoredUser[] = [];
      for (let one = row; one < Math.min(chunk.rowCount, row + turnRows); one++) {
        rows.moveTo(one);
        users.push(decodeUser(rows, userId, properties, places));
      }
      yield users;
      await yieldToEventLoop();
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
  return type === "object" || type === "object_group" ? parseWithBigInts(value as string) : value;
}
