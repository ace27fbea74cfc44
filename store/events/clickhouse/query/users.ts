import { createYield } from "../../../../base/async/yield.ts";
import type { QueryCaller, StoredUser, UserScan, UserSelection } from "../../scan.ts";
import type { Property } from "../../schema.ts";
import { compileSelection, compileUsers } from "../../sql/users.ts";
import { decodeScalar, wantedProperties } from "../../stored-users.ts";
import { chunkOf, type UserChunk } from "../../user-chunk.ts";
import type { ProjectSnapshot } from "../layout.ts";
import { bindStatement, blockRows, clickhouseDialect } from "./dialect.ts";
import { openQuery, type QuerySource } from "./query.ts";
import { hasLists, relationsOf, withEmptyLists } from "./relations.ts";
import type { Spool } from "./spool.ts";

/** The number of users in a chunk; more would block the event loop while they are decoded. */
const usersPerChunk = 256;

export async function* streamUsers(
  source: QuerySource,
  scan: UserScan,
  signal: AbortSignal,
): AsyncIterable<UserChunk> {
  const prepare = (snapshot: ProjectSnapshot): Prepared | undefined => {
    const relations = relationsOf(snapshot);
    const properties = wantedProperties(scan.properties, relations.schema);
    const statement = compileUsers(scan, properties, relations, clickhouseDialect);
    return statement && { ...bindStatement(statement), properties };
  };
  yield* read(source, scan.scan, { prepare, limit: scan.limit }, signal);
}

export async function* selectUsers(
  source: QuerySource,
  selection: UserSelection,
  signal: AbortSignal,
): AsyncIterable<UserChunk> {
  const prepare = (snapshot: ProjectSnapshot): Prepared => {
    const relations = relationsOf(snapshot);
    const properties = wantedProperties(selection.properties, relations.schema);
    const { sql, ...bound } = bindStatement(
      compileSelection(selection, properties, relations, clickhouseDialect),
    );
    const rows = hasLists(properties) ? withEmptyLists(sql, snapshot) : sql;
    return { ...bound, sql: `${rows} ORDER BY 1`, properties };
  };
  yield* read(source, selection, { prepare, limit: undefined }, signal);
}

/**
 * A statement for users in the order of their ids. When there are lists, the last column has the numbers of empty ones.
 */
interface Prepared extends ReturnType<typeof bindStatement> {
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
): AsyncIterable<UserChunk> {
  signal.throwIfAborted();
  const release = wanted.limit === undefined ? await source.slots.keep(caller, signal) : () => undefined;
  const ending = new AbortController();
  try {
    const found = await collect(source, caller, wanted, AbortSignal.any([signal, ending.signal]));
    if (found === undefined) return;
    const { spools, properties, slotFreed } = found;
    // The statement of a single shard returns no more users than the limit, and ends without being killed.
    const limit = spools.length === 1 ? undefined : wanted.limit;
    try {
      const shards = spools.map((spool) => decode(spool, properties));
      yield* inChunks(mergeById(shards), limit ?? Number.POSITIVE_INFINITY, signal);
    } finally {
      // Statements whose rows are not wanted any more end.
      ending.abort();
      await Promise.all([...spools.map((spool) => spool[Symbol.asyncDispose]()), slotFreed]);
    }
  } finally {
    release();
  }
}

/** With these the server sends rows in small blocks, each as soon as it is sorted. */
const smallBlocks = { max_block_size: blockRows.sent, output_format_parallel_formatting: 0 } as const;

/**
 * Starts the statements of all shards. Rows of a limited number of users are read while others arrive; all others are
 * kept first, so that an error comes before the first of them.
 */
async function collect(
  source: QuerySource,
  caller: QueryCaller,
  { prepare, limit }: Wanted,
  signal: AbortSignal,
) {
  using held = new DisposableStack();
  const query = held.use(await openQuery(source, caller, signal));
  const prepared = prepare(query.snapshot(caller.projectId));
  if (prepared === undefined) return undefined;
  const { sql, properties, ...bound } = prepared;
  const statement = {
    ...bound,
    sql: `${sql} FORMAT JSONCompactEachRow`,
    ...(limit !== undefined && { settings: smallBlocks }),
  };
  const { connection } = query;
  const begun: Spool[] = [];
  try {
    const spools = await connection.onEach(async (shard, either) => {
      const spool = source.spools.keep(await connection.read(shard, { ...statement, signal: either }));
      begun.push(spool);
      if (limit === undefined) await spool.kept;
      return spool;
    }, signal);
    const slot = held.move();
    const slotFreed = Promise.allSettled(spools.map(({ kept }) => kept)).then(() => slot.dispose());
    return { spools, properties, slotFreed };
  } catch (error) {
    await Promise.all(begun.map((spool) => spool[Symbol.asyncDispose]()));
    throw error;
  }
}

/** The ids, the values of properties, and the numbers of empty lists. */
type Row = readonly unknown[];

/** Decodes the users of a shard in blocks. */
async function* decode(
  spool: Spool,
  properties: readonly Property[],
): AsyncGenerator<readonly StoredUser[], void> {
  const mayBeEmpty = hasLists(properties);
  for await (const lines of linesOf(spool.read())) {
    let users: readonly StoredUser[];
    try {
      const rows = JSON.parse(`[${lines}]`) as readonly Row[];
      users = rows.map((row) => decodeUser(row, properties, mayBeEmpty));
    } catch (error) {
      // The server writes its exception after the rows. The result then fails with it.
      await spool.kept;
      throw error;
    }
    yield users;
  }
}

const lineBreak = 10;

/** Returns the texts of whole lines, with commas between them. Texts in JSON contain no line breaks. */
async function* linesOf(parts: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  let rest: Buffer[] = [];
  for await (const part of parts) {
    const end = part.lastIndexOf(lineBreak);
    if (end >= 0) {
      const lines = Buffer.concat([...rest, part.subarray(0, end)]);
      yield lines.toString("utf8").replaceAll("\n", ",");
      rest = [];
    }
    rest.push(part.subarray(end + 1));
  }
}

const idCount = 3;
/** Integers of so many characters are exact as doubles. */
const exactDigits = 15;

/** @param mayBeEmpty whether the row ends with the numbers of empty lists */
function decodeUser(row: Row, properties: readonly Property[], mayBeEmpty: boolean): StoredUser {
  // No name begins with an underscore, so none sets the prototype.
  const found: Record<string, unknown> = {};
  const emptyLists = mayBeEmpty ? (row.at(-1) as readonly number[]) : [];
  for (let at = 0; at < properties.length; at++) {
    const property = properties[at]!;
    const value = decodeValue(row[at + idCount], property);
    if (value !== null) found[property.name] = value;
    else if (mayBeEmpty && emptyLists.includes(property.number)) found[property.name] = [];
  }
  const id = row[0] as string;
  return {
    // Numbers take a third of the time of texts.
    userId: BigInt(id.length <= exactDigits ? Number(id) : id),
    accountId: row[1] as string | null,
    distinctId: row[2] as string | null,
    properties: found,
  };
}

/** Returns null for an empty list. */
function decodeValue(value: unknown, { type, group }: Property): unknown {
  if (!Array.isArray(value)) return value === null || value === undefined ? null : decodeScalar(value, type);
  if (value.length === 0) return null;
  return type === "list" && group === undefined ? value : value.map((one) => decodeScalar(one, type));
}

/** Merges users of shards, which are in the order of their ids. */
async function* mergeById(
  shards: readonly AsyncGenerator<readonly StoredUser[], void>[],
): AsyncGenerator<readonly StoredUser[], void> {
  const [only] = shards;
  if (only !== undefined && shards.length === 1) return yield* only;
  const cursors = shards.map((blocks) => new Cursor(blocks));
  for (;;) {
    await Promise.all(cursors.map((cursor) => cursor.fill()));
    const found: StoredUser[] = [];
    const open = cursors.filter(({ head }) => head !== undefined);
    if (open.length === 0) return;
    while (open.every(({ head }) => head !== undefined)) {
      const lowest = open.reduce((a, b) => (b.head!.userId < a.head!.userId ? b : a));
      found.push(lowest.head!);
      lowest.at++;
    }
    yield found;
  }
}

/** A place in the blocks of a shard. */
class Cursor {
  at = 0;
  readonly #blocks: AsyncGenerator<readonly StoredUser[], void>;
  #block: readonly StoredUser[] = [];

  constructor(blocks: AsyncGenerator<readonly StoredUser[], void>) {
    this.#blocks = blocks;
  }

  /** The user at the place; undefined at the end of a block. */
  get head(): StoredUser | undefined {
    return this.#block[this.at];
  }

  /** Reads the next block at the end of one. */
  async fill(): Promise<void> {
    while (this.head === undefined) {
      const { done, value } = await this.#blocks.next();
      if (done === true) return;
      this.#block = value;
      this.at = 0;
    }
  }
}

async function* inChunks(
  blocks: AsyncIterable<readonly StoredUser[]>,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<UserChunk, void> {
  const yieldToEventLoop = createYield({ signal });
  let left = limit;
  for await (const block of blocks) {
    for (let at = 0; at < block.length && left > 0; at += usersPerChunk) {
      const chunk = block.slice(at, at + Math.min(usersPerChunk, left));
      left -= chunk.length;
      yield chunkOf(chunk);
      await yieldToEventLoop();
    }
    if (left <= 0) break;
  }
}
