import { Database } from "../../../../store/events/duckdb/database.ts";
import { createFewTexts } from "../../../../store/events/duckdb/few-texts.ts";
import { loadBatch } from "../../../../store/events/duckdb/load/load.ts";
import { createQueries, type Queries } from "../../../../store/events/duckdb/query/query.ts";
import { createScans } from "../../../../store/events/duckdb/query/scan.ts";
import { selectUsers } from "../../../../store/events/duckdb/query/users.ts";
import { createWriter } from "../../../../store/events/duckdb/writer.ts";
import type { EventStore } from "../../../../store/events/events.ts";
import { Batches, type Rows } from "../../../conformance/events/world.ts";
import { createDuckDbWorld, smallStore } from "./duckdb-world.ts";

export async function openDatabase(stack: AsyncDisposableStack) {
  const world = stack.use(await createDuckDbWorld());
  const batches = new Batches(world.folder);
  const database = await Database.open(world.options);
  stack.defer(() => database.close());
  const writer = createWriter(database);
  const load = async (given: Rows) => loadBatch(writer, await batches.next(given), database.scratchFolder);
  return { load, writer, queries: createQueries(database, smallStore) };
}

/**
 * Returns a store that has not read any properties yet, and the statements that it runs.
 * @param before called with each statement
 */
export function storeOf(queries: Queries, before: (sql: string) => void = () => undefined) {
  const [statements, fewTexts]: [string[], ReturnType<typeof createFewTexts>] = [[], createFewTexts()];
  const open: Queries["open"] = async (...given) => {
    const query = await queries.open(...given);
    const runSql = query.run.bind(query);
    const run: typeof query.run = (sql, ...values) => {
      statements.push(sql);
      before(sql);
      return runSql(sql, ...values);
    };
    return Object.assign(query, { fewTexts, run });
  };
  const opened = { ...queries, open };
  const store = {
    ...createScans(opened),
    selectUsers: (...given) => selectUsers(opened, ...given),
  } satisfies Partial<EventStore> as unknown as EventStore;
  return { statements, store };
}

/** Returns the statements that read the texts of properties. */
export const readsOf = (statements: readonly string[]) => statements.filter((sql) => sql.includes("stats("));
