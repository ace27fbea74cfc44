import { setTimeout as sleep } from "node:timers/promises";
import type { DuckDBConnection, DuckDBPendingResult, DuckDBResult } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";

export interface EngineWait {
  /** Returns whether a thread of the engine has nothing else to do. If not, `connection.run` runs the statement. */
  readonly isEngineFree: () => boolean;
  /** A thread of libuv's pool runs or waits for the statement after this time. */
  readonly maxWaitMs: number;
}

/** The longest time between two looks at a statement. */
const maxPollMs = 16;

/**
 * Runs a statement that needs no planning, such as COMMIT, in a thread of the engine. `connection.run` takes a thread
 * of libuv's pool. Where a thread of the engine takes the statement first, the other one waits for it in a loop without
 * a pause, and so takes as much processor time as the statement.
 */
export async function runInEngine(
  connection: DuckDBConnection,
  sql: string,
  { isEngineFree, maxWaitMs }: EngineWait,
): Promise<DuckDBResult> {
  if (!isEngineFree()) return await connection.run(sql);
  const prepared = await connection.prepare(sql);
  try {
    const pending = prepared.start();
    const isDone = doneCheckOf(pending);
    const endMs = performance.now() + maxWaitMs;
    let pollMs = 1;
    while (!isDone() && isEngineFree() && performance.now() < endMs) {
      await sleep(pollMs);
      pollMs = Math.min(pollMs * 2, maxPollMs);
    }
    return await pending.getResult();
  } finally {
    prepared.destroySync();
  }
}

/**
 * Returns a function that looks whether a started statement has ended, without running a part of it.
 *
 * The library has no method for this, so the handle of the statement is read from a private member. With a version
 * that lacks the member, the function returns true, and `getResult` waits at the cost of `connection.run`. A call of
 * `connection.run` itself would run the statement twice, as it has started.
 */
function doneCheckOf(pending: DuckDBPendingResult): () => boolean {
  const { pending_result: handle } = pending as unknown as { readonly pending_result?: duckdb.PendingResult };
  if (handle === undefined) return () => true;
  return () => duckdb.pending_execution_is_finished(duckdb.pending_execute_check_state(handle));
}
