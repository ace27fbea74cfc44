import type { Executor } from "../sql/operations.ts";
import { checkRange } from "../sql/values.ts";
import type { SavedQueryOperations } from "./operations.ts";
import type { SavedQueryStore } from "./savedqueries.ts";

const maxPage = 1_000;

/** The store over any database which runs the operations. @param now the clock of displayed times */
export function createSqlSavedQueries(
  executor: Executor<SavedQueryOperations>,
  now: () => number,
): SavedQueryStore {
  return {
    create: (query, { signal } = {}) => executor.call("create", now(), [query], signal),
    find: (projectId, queryId, { signal } = {}) => executor.call("find", now(), [projectId, queryId], signal),
    async list(projectId, page, { signal } = {}) {
      checkRange("limit", page.limit, 1, maxPage);
      return await executor.call("list", now(), [projectId, page], signal);
    },
    update: (queryId, version, query, { signal } = {}) =>
      executor.call("update", now(), [queryId, version, query], signal),
    delete: (projectId, queryId, version, { signal } = {}) =>
      executor.call("remove", now(), [projectId, queryId, version], signal),
    [Symbol.asyncDispose]: () => executor[Symbol.asyncDispose](),
  };
}
