import { createYield } from "../../../../base/async/yield.ts";
import type { QueryCaller, UserScan, UserSelection } from "../../scan.ts";
import { compileSelection, compileUsers } from "../../sql/users.ts";
import { wantedProperties } from "../../stored-users.ts";
import type { UserChunk } from "../../user-chunk.ts";
import type { ProjectSnapshot } from "../layout.ts";
import { bindStatement, blockRows, clickhouseDialect } from "./dialect.ts";
import { openQuery, type QuerySource } from "./query.ts";
import { hasLists, relationsOf, withEmptyLists } from "./relations.ts";
import { RowUsers, rowColumnsOf, type UserRow, type UserRowColumns, userIdOf } from "./row-users.ts";
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
    return statement && { ...bindStatement(statement), columns: rowColumnsOf(scan, properties) };
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
    return { ...bound, sql: `${rows} ORDER BY 1`, columns: rowColumnsOf(selection, properties) };
  };
  yield* read(source, selection, { prepare, limit: undefined }, signal);
}

/**
 * A statement for users in the order of their ids. When there are lists, the last column has the numbers of empty ones.
 */
interface Prepared extends ReturnType<typeof bindStatement> {
  readonly columns: UserRowColumns;
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
    const { spools, columns, slotFreed } = found;
    // The statement of a single shard returns no more users than the limit, and ends without being killed.
    const limit = spools.length === 1 ? undefined : wanted.limit;
    try {
      const rows = mergeById(spools.map(readRows));
      yield* inChunks(rows, columns, limit ?? Number.POSITIVE_INFINITY, signal);
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
  const { sql, columns, ...bound } = prepared;
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
    return { spools, columns, slotFreed };
  } catch (error) {
    await Promise.all(begun.map((spool) => spool[Symbol.asyncDispose]()));
    throw error;
  }
}

type Rows = AsyncGenerator<readonly UserRow[], void>;

/** Reads the users of a shard in blocks. */
async function* readRows(spool: Spool): Rows {
  for await (const lines of linesOf(spool.read())) {
    let rows: readonly UserRow[];
    try {
      rows = JSON.parse(`[${lines}]`) as readonly UserRow[];
      if (!rows.every(Array.isArray)) throw new SyntaxError("the server sent a line that is no array");
    } catch (error) {
      // The server writes its exception after the rows. The result then fails with it.
      await spool.kept;
      throw error;
    }
    yield rows;
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

/** Merges users of shards, which are in the order of their ids. */
async function* mergeById(shards: readonly Rows[]): Rows {
  const [only] = shards;
  if (only !== undefined && shards.length === 1) return yield* only;
  const cursors = shards.map((rows) => new Cursor(rows));
  for (;;) {
    await Promise.all(cursors.map((cursor) => cursor.fill()));
    const found: UserRow[] = [];
    const open = cursors.filter(({ head }) => head !== undefined);
    if (open.length === 0) return;
    while (open.every(({ head }) => head !== undefined)) {
      const lowest = open.reduce((a, b) => (b.userId < a.userId ? b : a));
      found.push(lowest.head!);
      lowest.advance();
    }
    yield found;
  }
}

/** Reads the rows of a shard one after the other. */
class Cursor {
  /** The next row; undefined at the end of a block. */
  head: UserRow | undefined;
  /** The number of the user in `head`; meaningless without one. */
  userId = 0n;
  readonly #blocks: Rows;
  #block: readonly UserRow[] = [];
  #at = -1;

  constructor(blocks: Rows) {
    this.#blocks = blocks;
  }

  advance(): void {
    this.#at++;
    this.head = this.#block[this.#at];
    if (this.head !== undefined) this.userId = userIdOf(this.head);
  }

  /** Reads the next block at the end of one. */
  async fill(): Promise<void> {
    while (this.head === undefined) {
      const { done, value } = await this.#blocks.next();
      if (done === true) return;
      this.#block = value;
      this.#at = -1;
      this.advance();
    }
  }
}

async function* inChunks(
  blocks: Rows,
  columns: UserRowColumns,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<UserChunk, void> {
  const yieldToEventLoop = createYield({ signal });
  let left = limit;
  for await (const block of blocks) {
    for (let at = 0; at < block.length && left > 0; at += usersPerChunk) {
      const chunk = block.slice(at, at + Math.min(usersPerChunk, left));
      left -= chunk.length;
      yield new RowUsers(chunk, columns);
      await yieldToEventLoop();
    }
    if (left <= 0) break;
  }
}
