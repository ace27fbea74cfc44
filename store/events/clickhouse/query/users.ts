import { createYield } from "../../../../base/async/yield.ts";
import type { QueryCaller, StoredUser, UserScan, UserSelection } from "../../scan.ts";
import type { Property } from "../../schema.ts";
import type { Statement } from "../../sql/parameters.ts";
import { compileSelection, compileUsers } from "../../sql/users.ts";
import { decodeScalar, wantedProperties } from "../../stored-users.ts";
import type { ProjectSnapshot } from "../layout.ts";
import { bindStatement, clickhouseDialect } from "./dialect.ts";
import { openQuery, type QuerySource } from "./query.ts";
import { relationsOf, withEmptyLists } from "./relations.ts";
import type { Spool } from "./spool.ts";

/** The number of users in a chunk; more would block the event loop while they are decoded. */
const usersPerChunk = 256;

export async function* streamUsers(
  source: QuerySource,
  scan: UserScan,
  signal: AbortSignal,
): AsyncIterable<readonly StoredUser[]> {
  const prepare = (snapshot: ProjectSnapshot): Prepared | undefined => {
    const relations = relationsOf(snapshot);
    const properties = wantedProperties(scan.properties, relations.schema);
    const statement = compileUsers(scan, properties, relations, clickhouseDialect);
    return statement && { statement, properties };
  };
  yield* read(source, scan.scan, { prepare, limit: scan.limit }, signal);
}

export async function* selectUsers(
  source: QuerySource,
  selection: UserSelection,
  signal: AbortSignal,
): AsyncIterable<readonly StoredUser[]> {
  const prepare = (snapshot: ProjectSnapshot): Prepared => {
    const relations = relationsOf(snapshot);
    const properties = wantedProperties(selection.properties, relations.schema);
    return { statement: compileSelection(selection, properties, relations, clickhouseDialect), properties };
  };
  yield* read(source, selection, { prepare, limit: undefined }, signal);
}

interface Prepared {
  readonly statement: Statement;
  readonly properties: readonly Property[];
}

interface Wanted {
  readonly prepare: (snapshot: ProjectSnapshot) => Prepared | undefined;
  readonly limit: number | undefined;
}

/** Reads users whose rows are kept, so that a slow reader holds no slot and no statement of a server. */
async function* read(
  source: QuerySource,
  caller: QueryCaller,
  wanted: Wanted,
  signal: AbortSignal,
): AsyncIterable<readonly StoredUser[]> {
  signal.throwIfAborted();
  const release = wanted.limit === undefined ? await source.slots.keep(caller, signal) : () => undefined;
  try {
    const found = await collect(source, caller, wanted, signal);
    if (found === undefined) return;
    try {
      const shards = found.spools.map((spool) => decode(spool, found.properties));
      yield* inChunks(mergeById(shards), wanted.limit ?? Number.POSITIVE_INFINITY, signal);
    } finally {
      await Promise.all(found.spools.map((spool) => spool[Symbol.asyncDispose]()));
    }
  } finally {
    release();
  }
}

async function collect(source: QuerySource, caller: QueryCaller, { prepare }: Wanted, signal: AbortSignal) {
  using query = await openQuery(source, caller, signal);
  const prepared = prepare(query.snapshot(caller.projectId));
  if (prepared === undefined) return undefined;
  const { sql, ...bound } = bindStatement(prepared.statement);
  const hasLists = prepared.properties.some(({ type, group }) => type === "list" && group === undefined);
  const rows = hasLists
    ? withEmptyLists(sql, query.snapshot(caller.projectId))
    : `SELECT p.*, [] AS empty_lists FROM (${sql}) p`;
  const statement = { ...bound, sql: `${rows} ORDER BY 1 FORMAT JSONCompactEachRow` };
  const { connection } = query;
  const kept: Spool[] = [];
  try {
    const spools = await connection.onEach(async (shard, either) => {
      const spool = await source.spools.keep(await connection.read(shard, { ...statement, signal: either }));
      kept.push(spool);
      return spool;
    }, signal);
    return { spools, properties: prepared.properties };
  } catch (error) {
    await Promise.all(kept.map((spool) => spool[Symbol.asyncDispose]()));
    throw error;
  }
}

type Row = readonly [
  userId: string,
  accountId: string | null,
  distinctId: string | null,
  ...values: unknown[],
  emptyLists: readonly number[],
];

async function* decode(spool: Spool, properties: readonly Property[]): AsyncGenerator<StoredUser, void> {
  for await (const line of linesOf(spool.read())) yield decodeUser(JSON.parse(line) as Row, properties);
}

/** Texts in JSON contain no line breaks. */
async function* linesOf(parts: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  let rest: Buffer[] = [];
  for await (const part of parts) {
    let from = 0;
    for (let end = part.indexOf(10); end >= 0; end = part.indexOf(10, from)) {
      const line = part.subarray(from, end);
      yield rest.length === 0 ? line.toString("utf8") : Buffer.concat([...rest, line]).toString("utf8");
      rest = [];
      from = end + 1;
    }
    if (from < part.length) rest.push(part.subarray(from));
  }
}

function decodeUser(
  [userId, accountId, distinctId, ...values]: Row,
  properties: readonly Property[],
): StoredUser {
  // No name begins with an underscore, so none is that of the prototype.
  const found: Record<string, unknown> = {};
  const emptyLists = values.at(-1) as readonly number[];
  for (const [index, property] of properties.entries()) {
    const value = decodeValue(values[index], property);
    if (value !== null) found[property.name] = value;
    else if (emptyLists.includes(property.number)) found[property.name] = [];
  }
  return { userId: BigInt(userId), accountId, distinctId, properties: found };
}

/** Returns null for an empty list. */
function decodeValue(value: unknown, { type, group }: Property): unknown {
  if (!Array.isArray(value)) return value === null || value === undefined ? null : decodeScalar(value, type);
  if (value.length === 0) return null;
  return type === "list" && group === undefined ? value : value.map((one) => decodeScalar(one, type));
}

/** Merges users of shards, which are in the order of their ids. */
async function* mergeById(
  shards: readonly AsyncGenerator<StoredUser, void>[],
): AsyncGenerator<StoredUser, void> {
  const [only] = shards;
  if (only !== undefined && shards.length === 1) return yield* only;
  const heads = await Promise.all(shards.map((shard) => shard.next()));
  for (;;) {
    let lowest = -1;
    for (const [shard, { done, value }] of heads.entries()) {
      if (done === true) continue;
      const best = lowest < 0 ? undefined : (heads[lowest]!.value as StoredUser);
      if (best === undefined || value.userId < best.userId) lowest = shard;
    }
    if (lowest < 0) return;
    yield heads[lowest]!.value as StoredUser;
    heads[lowest] = await shards[lowest]!.next();
  }
}

async function* inChunks(
  users: AsyncIterable<StoredUser>,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredUser[], void> {
  const yieldToEventLoop = createYield({ signal });
  let chunk: StoredUser[] = [];
  let count = 0;
  for await (const user of users) {
    if (count >= limit) break;
    count++;
    chunk.push(user);
    if (chunk.length < usersPerChunk) continue;
    yield chunk;
    chunk = [];
    await yieldToEventLoop();
  }
  if (chunk.length > 0) yield chunk;
}
