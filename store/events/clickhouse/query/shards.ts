import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { Statement } from "../../sql/parameters.ts";
import type { Stage } from "../../sql/stages.ts";
import type { Connection } from "../connection.ts";
import { bindStatement } from "./dialect.ts";

/** The shards take turns to merge. */
let turn = 0;

/**
 * Runs a statement which reads stages. Each shard computes its part of a stage; the parts are collected
 * in a temporary table of one shard, which then runs the statement. The bytes between shards are not
 * decoded.
 */
export async function* readMerged(
  connection: Connection,
  { statement, stages, format }: MergedStatement,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  turn = (turn + 1) % connection.shardCount;
  const place: Place = { connection, home: turn, session: randomUUID(), signal };
  try {
    for (const stage of stages) await collect(place, stage);
    const bound = bindStatement(statement);
    yield* await run(place, { ...bound, sql: `${bound.sql} FORMAT ${format}` });
  } finally {
    // Without it, the server drops the tables at the end of the session.
    await Promise.all(stages.map(({ name }) => drop(place, name)));
  }
}

interface MergedStatement {
  readonly statement: Statement;
  readonly stages: readonly Stage[];
  readonly format: string;
}

interface Place {
  readonly connection: Connection;
  /** The shard which merges. */
  readonly home: number;
  readonly session: string;
  readonly signal: AbortSignal;
}

/** Runs a statement in the session of the shard which merges. Sessions may create temporary tables only. */
function run({ connection, home, session, signal }: Place, statement: ReturnType<typeof bindStatement>) {
  return connection.read(home, { ...statement, session, signal });
}

/** The table remembers which parts it has, so that a request which the network repeats adds nothing. */
const stageEngine = "ENGINE = MergeTree ORDER BY () SETTINGS non_replicated_deduplication_window = 1000";

async function collect(
  { connection, home, session, signal }: Place,
  { name, statement }: Stage,
): Promise<void> {
  const created = Promise.withResolvers<void>();
  // When another shard fails first, nobody waits for the table.
  created.promise.catch(() => undefined);
  const bound = bindStatement(statement);
  let inserted: Promise<void> = created.promise;
  await connection.onEach(async (shard, either) => {
    const place = { connection, home, session, signal: either };
    if (shard === home) {
      const sql = `CREATE TEMPORARY TABLE ${name} ${stageEngine} AS ${bound.sql}`;
      await drain(run(place, { ...bound, sql })).then(created.resolve, (error) => {
        created.reject(error);
        throw error;
      });
      return;
    }
    const parts = await connection.read(shard, {
      ...bound,
      sql: `${bound.sql} FORMAT Native`,
      signal: either,
    });
    // A session runs one statement at a time.
    inserted = inserted.then(() => insert(place, name, parts));
    await inserted.finally(() => parts.return());
  }, signal);
}

function insert({ connection, home, session, signal }: Place, name: string, parts: AsyncIterable<Buffer>) {
  const sql = `INSERT INTO ${name} FORMAT Native`;
  return connection.insert(home, { sql, session, signal }, Readable.from(parts, { objectMode: false }));
}

async function drop(place: Place, name: string): Promise<void> {
  const signal = AbortSignal.timeout(dropMs);
  await drain(run({ ...place, signal }, { sql: `DROP TEMPORARY TABLE IF EXISTS ${name}` })).catch(
    () => undefined,
  );
}

const dropMs = 5_000;

async function drain(parts: Promise<AsyncIterable<Buffer>>): Promise<void> {
  for await (const _ of await parts);
}
