import { createYield } from "../../../../base/async/yield.ts";
import type { Connection } from "../connection.ts";

export interface RowStatement {
  readonly sql: string;
  readonly signal: AbortSignal;
}

/** Reads for the upkeep of the store take as long as they take, and return all rows. */
const settings = { max_execution_time: 0, max_result_rows: 0 } as const;

/** Returns the rows of a shard in parts, as they arrive. 64-bit integers are texts. */
export async function* streamRows<R extends readonly unknown[]>(
  connection: Connection,
  shard: number,
  { sql, signal }: RowStatement,
): AsyncGenerator<readonly R[], void> {
  const yieldToEventLoop = createYield({ signal });
  const bytes = await connection.read(shard, { sql: `${sql} FORMAT JSONCompactEachRow`, signal, settings });
  let rest: Buffer = Buffer.alloc(0);
  for await (const part of bytes) {
    const all = rest.length === 0 ? part : Buffer.concat([rest, part]);
    const end = all.lastIndexOf(10) + 1;
    rest = all.subarray(end);
    if (end === 0) continue;
    const rows: R[] = [];
    for (const line of all.toString("utf8", 0, end - 1).split("\n")) {
      rows.push(JSON.parse(line) as R);
      await yieldToEventLoop();
    }
    yield rows;
  }
}

/** Returns all rows of one shard. */
export async function readRows<R extends readonly unknown[]>(
  connection: Connection,
  shard: number,
  statement: RowStatement,
): Promise<R[]> {
  const rows: R[] = [];
  for await (const part of streamRows<R>(connection, shard, statement)) rows.push(...part);
  return rows;
}

/** Returns the rows of all shards, of which each returns its rows in the order of `keyOf`, in that order. */
export async function* streamMerged<R extends readonly unknown[]>(
  connection: Connection,
  statement: RowStatement,
  keyOf: (row: R) => number | string,
): AsyncGenerator<readonly R[], void> {
  if (connection.shardCount === 1) {
    yield* streamRows<R>(connection, 0, statement);
    return;
  }
  const all = Array.from({ length: connection.shardCount }, (_, shard) =>
    oneByOne(streamRows<R>(connection, shard, statement)),
  );
  try {
    yield* merge(all, keyOf);
  } finally {
    await Promise.all(all.map((rows) => rows.return()));
  }
}

const rowsPerPart = 1_024;

async function* merge<R>(
  sources: readonly AsyncGenerator<R, void>[],
  keyOf: (row: R) => number | string,
): AsyncGenerator<readonly R[], void> {
  const heads = await Promise.all(sources.map((source) => source.next()));
  let rows: R[] = [];
  for (;;) {
    let least: number | undefined;
    for (const [at, head] of heads.entries()) {
      if (head.done === true) continue;
      const other = least === undefined ? undefined : heads[least]!.value;
      if (other === undefined || keyOf(head.value) < keyOf(other as R)) least = at;
    }
    if (least === undefined) break;
    rows.push(heads[least]!.value as R);
    heads[least] = await sources[least]!.next();
    if (rows.length < rowsPerPart) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

/** Returns the elements of parts. */
export async function* oneByOne<R>(parts: AsyncGenerator<readonly R[], void>): AsyncGenerator<R, void> {
  for await (const part of parts) yield* part;
}
