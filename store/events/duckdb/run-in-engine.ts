import { setTimeout as sleep } from "node:timers/promises";
import type { DuckDBConnection, DuckDBResult } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";

/** The longest time between two looks at a statement. */
const maxPollMs = 16;

/**
 * Runs a statement that needs no planning, such as COMMIT, in a thread of the engine. `connection.run` takes a thread
 * of libuv's pool. Where a thread of the engine takes the statement first, the other one waits for it in a loop without
 * a pause, and so takes as much processor time as the statement.
 * @param isEngineFree whether a thread of the engine has nothing else to do. If not, this is `connection.run`.
 */
export async function runInEngine(
  connection: DuckDBConnection,
  sql: string,
  isEngineFree: () => boolean,
): Promise<DuckDBResult> {
  if (!isEngineFree()) return await connection.run(sql);
  const prepared = await connection.prepare(sql);
  try {
    const pending = prepared.start();
    // The library has no method that only looks.
    const { pending_result: state } = pending as unknown as { readonly pending_result: duckdb.PendingResult };
    const isDone = () => duckdb.pending_execution_is_finished(duckdb.pending_execute_check_state(state));
    for (let pollMs = 1; !isDone() && isEngineFree(); pollMs = Math.min(pollMs * 2, maxPollMs)) {
      await sleep(pollMs);
    }
    return await pending.getResult();
  } finally {
    prepared.destroySync();
  }
}
