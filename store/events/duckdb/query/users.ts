import type { DuckDBMaterializedResult } from "@duckdb/node-api";
import { createYield } from "../../../../base/async/yield.ts";
import type { QueryCaller, UserScan, UserSelection, UserValues } from "../../scan.ts";
import type { Property } from "../../schema.ts";
import type { Statement } from "../../sql/parameters.ts";
import { compileSelection, compileUsers, userColumnsOf } from "../../sql/users.ts";
import { wantedProperties } from "../../stored-users.ts";
import type { UserChunk } from "../../user-chunk.ts";
import { propertyColumn } from "../layout.ts";
import { bindStatement, duckdbDialect } from "./dialect.ts";
import { PackedRow, packTexts } from "./packed-texts.ts";
import { PackedUsers, textTypes, type UserColumns } from "./packed-users.ts";
import type { Queries, Query } from "./query.ts";
import { queryRelations } from "./relations.ts";

/** The rows in a chunk, and the bytes of their texts; to read more at a time would block the event loop. */
const maxChunkRows = 256;
const maxChunkBytes = 131_072;
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
): AsyncIterable<UserChunk> {
  const prepare = async (query: Query): Promise<Prepared | undefined> => {
    const relations = await queryRelations(query, scan.scan.projectId, scan.scan.buckets);
    const properties = wantedProperties(scan.properties, relations.schema);
    const statement = compileUsers(scan, properties, relations, duckdbDialect);
    return statement && prepareRows(statement, properties, scan);
  };
  if (scan.limit === undefined) yield* storeAndRead(queries, scan.scan, prepare, signal);
  else yield* readLimited(queries, scan.scan, prepare, signal);
}

export async function* selectUsers(
  queries: Queries,
  selection: UserSelection,
  signal: AbortSignal,
): AsyncIterable<UserChunk> {
  const prepare = async (query: Query): Promise<Prepared> => {
    const relations = await queryRelations(query, selection.projectId);
    const properties = wantedProperties(selection.properties, relations.schema);
    const statement = compileSelection(selection, properties, relations, duckdbDialect);
    return prepareRows(statement, properties, selection);
  };
  yield* storeAndRead(queries, selection, prepare, signal);
}

/** A statement, and how to read users from its rows. */
interface Prepared {
  readonly statement: Statement;
  readonly textCount: number;
  readonly columns: UserColumns;
}

type Prepare = (query: Query) => Promise<Prepared | undefined>;

function prepareRows(given: Statement, properties: readonly Property[], values: UserValues): Prepared {
  const ids = userColumnsOf(values).filter((column) => column !== "user_id");
  const isText = ({ type, group }: Property) => group === undefined && textTypes.has(type);
  const [texts, others] = [properties.filter(isText), properties.filter((one) => !isText(one))];
  const { statement, columns } = packTexts(
    given,
    [...ids, ...texts.map(propertyColumn)],
    ["user_id", ...others.map(propertyColumn)],
  );
  const index = (name: string): number => columns.get(name)!;
  return {
    statement,
    textCount: texts.length + ids.length,
    columns: {
      userId: index("user_id"),
      accountId: columns.get("account_id"),
      distinctId: columns.get("distinct_id"),
      properties: properties.map((property) => ({ property, index: index(propertyColumn(property)) })),
    },
  };
}

/** Reads a limited number of users, which stay in memory. */
async function* readLimited(
  queries: Queries,
  caller: QueryCaller,
  prepare: Prepare,
  signal: AbortSignal,
): AsyncIterable<UserChunk> {
  const found = await runLimited(queries, caller, prepare, signal);
  if (found !== undefined) yield* inChunks(found.result, found.prepared, () => undefined);
}

async function runLimited(queries: Queries, caller: QueryCaller, prepare: Prepare, signal: AbortSignal) {
  await using query = await queries.open(caller, signal);
  const prepared = await prepare(query);
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
): AsyncIterable<UserChunk> {
  const release = await queries.keep(caller, signal);
  try {
    await using query = await queries.open(caller, signal);
    const prepared = await prepare(query);
    if (prepared === undefined) return;
    const [sql, ...bindings] = bindStatement(prepared.statement);
    await query.run(`CREATE TEMP TABLE found AS SELECT * FROM (${sql}) p ORDER BY user_id`, ...bindings);
    await query.settle();
    for (let from = 0, rows = firstPageRows; ; ) {
      // A table keeps the order of its rows, which are numbered from 0 on, and so does a query for some of them.
      const page = `rowid >= ${from} AND rowid < ${from + rows}`;
      const result = await query.run(`SELECT * FROM temp.found WHERE ${page}`);
      let bytes = 0;
      yield* inChunks(result, prepared, (textBytes) => {
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

/** @param read called with the bytes of the texts of each row */
async function* inChunks(
  result: DuckDBMaterializedResult,
  { textCount, columns }: Prepared,
  read: (textBytes: number) => void,
): AsyncIterable<UserChunk> {
  const yieldToEventLoop = createYield();
  for (let index = 0; index < result.chunkCount; index++) {
    const rows = new PackedRow(result.getChunk(index), textCount);
    for (let row = 0; row < rows.rowCount; ) {
      const first = row;
      const end = Math.min(rows.rowCount, row + maxChunkRows);
      for (let bytes = 0; row < end && bytes < maxChunkBytes; row++) {
        const textBytes = rows.textBytesOf(row);
        bytes += textBytes;
        read(textBytes);
      }
      yield new PackedUsers(rows, columns, first, row);
      await yieldToEventLoop();
    }
  }
}
