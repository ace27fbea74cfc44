import { DuckDBListValue, type DuckDBMaterializedResult } from "@duckdb/node-api";
import { createYield } from "../../../../base/async/yield.ts";
import type { QueryCaller, StoredUser, UserScan, UserSelection } from "../../scan.ts";
import type { Property } from "../../schema.ts";
import type { Statement } from "../../sql/parameters.ts";
import { compileSelection, compileUsers } from "../../sql/users.ts";
import { decodeScalar, wantedProperties } from "../../stored-users.ts";
import { propertyColumn, type StoreTables } from "../layout.ts";
import { bindStatement, duckdbDialect } from "./dialect.ts";
import { PackedRow, packTexts } from "./packed-texts.ts";
import type { Queries } from "./query.ts";
import { relationsOf } from "./relations.ts";

/** The rows decoded at a time, and the bytes of their texts; more would block the event loop. */
const maxDecodedRows = 256;
const maxDecodedBytes = 131_072;
/** The stored rows that one statement reads, which takes a millisecond. */
const maxPageRows = 16_384;
const minPageRows = 64;
const firstPageRows = 512;
/** Bytes of texts in the rows of a statement, which are in memory for as long as the reader waits. */
const pageBytes = 2_097_152;

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
  if (scan.limit === undefined) yield* storeAndRead(queries, scan.scan, prepare, signal);
  else yield* readLimited(queries, scan.scan, prepare, signal);
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
  yield* storeAndRead(queries, selection, prepare, signal);
}

/** A statement, and how to read users from its rows. */
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

/** Reads a limited number of users, which stay in memory. */
async function* readLimited(
  queries: Queries,
  caller: QueryCaller,
  prepare: Prepare,
  signal: AbortSignal,
): AsyncIterable<readonly StoredUser[]> {
  const found = await runLimited(queries, caller, prepare, signal);
  if (found !== undefined) yield* decode(found.result, found.prepared, () => undefined);
}

async function runLimited(queries: Queries, caller: QueryCaller, prepare: Prepare, signal: AbortSignal) {
  await using query = await queries.open(caller, signal);
  const prepared = prepare(query.tables);
  if (prepared === undefined) return undefined;
  const [sql, ...bindings] = bindStatement(prepared.statement);
  return { prepared, result: await query.run(`${sql} ORDER BY user_id`, ...bindings) };
}

/**
 * Reads any number of users, which are stored in a temporary table, so that a slow reader holds no
 * snapshot and no slot.
 */
async function* storeAndRead(
  queries: Queries,
  caller: QueryCaller,
  prepare: Prepare,
  signal: AbortSignal,
): AsyncIterable<readonly StoredUser[]> {
  const release = await queries.keep(caller, signal);
  try {
    await using query = await queries.open(caller, signal);
    const prepared = prepare(query.tables);
    if (prepared === undefined) return;
    const [sql, ...bindings] = bindStatement(prepared.statement);
    const placed = `SELECT *, row_number() OVER (ORDER BY user_id) AS place FROM (${sql}) p`;
    await query.run(`CREATE TEMP TABLE found AS ${placed}`, ...bindings);
    await query.settle();
    for (let from = 0, rows = firstPageRows; ; ) {
      const page = `place > ${from} AND place <= ${from + rows}`;
      const result = await query.run(`SELECT * FROM temp.found WHERE ${page} ORDER BY place`);
      let bytes = 0;
      yield* decode(result, prepared, (textBytes) => {
        bytes += textBytes;
      });
      if (result.rowCount < rows) return;
      from += rows;
      rows = Math.max(minPageRows, Math.min(maxPageRows, Math.floor((rows * pageBytes) / (bytes + 1))));
    }
  } finally {
    release();
  }
}

/** @param decoded called with the bytes of the texts of each row */
async function* decode(
  result: DuckDBMaterializedResult,
  { textCount, userId, properties, places }: Prepared,
  decoded: (textBytes: number) => void,
): AsyncIterable<readonly StoredUser[]> {
  const yieldToEventLoop = createYield();
  for (let index = 0; index < result.chunkCount; index++) {
    const chunk = result.getChunk(index);
    const rows = new PackedRow(chunk, textCount);
    for (let row = 0; row < chunk.rowCount; ) {
      const users: StoredUser[] = [];
      const end = Math.min(chunk.rowCount, row + maxDecodedRows);
      for (let bytes = 0; row < end && bytes < maxDecodedBytes; row++) {
        rows.moveTo(row);
        bytes += rows.textBytes;
        decoded(rows.textBytes);
        users.push(decodeUser(rows, userId, properties, places));
      }
      yield users;
      await yieldToEventLoop();
    }
  }
}

/** Types which are stored as text. */
const textTypes: ReadonlySet<Property["type"]> = new Set(["text", "object", "object_group"]);

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

/** Converts a stored value for the API: times to text, objects to objects. */
function decodeValue(value: unknown, { type, group }: Property): unknown {
  if (value instanceof DuckDBListValue) {
    return type === "list" && group === undefined
      ? value.items
      : value.items.map((one) => decodeScalar(one, type));
  }
  return decodeScalar(value, type);
}
