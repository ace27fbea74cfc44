import { untilAborted } from "../../../../base/async/abort.ts";
import type { EventStore, QueryCaller } from "../../events.ts";
import type { QuerySlots } from "../../query-slots.ts";
import type { Connection } from "../connection.ts";
import type { ProjectSnapshot } from "../layout.ts";
import type { Spools } from "./spool.ts";

/**
 * The part of the store which runs plans.
 *
 * A query takes a slot and the snapshots of its projects, which this file provides. `scan.ts` runs scans
 * and summaries, `users.ts` reads users, and `volumes.ts` counts events and values: `relations.ts`
 * describes a project's tables and `dialect.ts` the server's SQL to the compiler in `store/events/sql`.
 * `shards.ts` merges what several shards compute. `rows.ts` reads results, and `spool.ts` keeps those of
 * slow readers.
 */
export type Plans = Pick<EventStore, "scan" | "scanAll" | "users" | "summarize" | "selectUsers">;

/** What queries need of the store. */
export interface QuerySource {
  readonly connection: Connection;
  readonly slots: QuerySlots;
  readonly spools: Spools;
  /** @throws EventsUnavailableError */
  snapshot(projectId: number): Promise<ProjectSnapshot>;
}

/** A slot, and what its statements see of each project, whatever is loaded meanwhile. */
export interface Query extends Disposable {
  readonly connection: Connection;
  readonly signal: AbortSignal;
  snapshot(projectId: number): ProjectSnapshot;
}

/**
 * Waits for a free slot, then takes the snapshots of the projects.
 * @throws TooManyQueriesError, EventsUnavailableError, the signal's reason
 */
export async function openQuery(
  source: QuerySource,
  caller: QueryCaller,
  signal: AbortSignal,
  projects: readonly number[] = [caller.projectId],
): Promise<Query> {
  const release = await source.slots.run(caller, signal);
  try {
    const ids = [...new Set(projects)];
    const taken = await untilAborted(Promise.all(ids.map((id) => source.snapshot(id))), signal);
    const snapshots = new Map(ids.map((id, index) => [id, taken[index]!]));
    return {
      connection: source.connection.within(caller.trace),
      signal,
      snapshot: (projectId) => snapshots.get(projectId)!,
      [Symbol.dispose]: release,
    };
  } catch (error) {
    release();
    throw error;
  }
}
