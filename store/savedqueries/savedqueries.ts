/**
 * Stores the queries which people save. `sqlite/` implements the port for one data folder, `postgres/` for replicas
 * which share a database; both run the operations of `operations.ts` (`sql-saved-queries.ts`). `move.ts` copies a file
 * into a database.
 */
export interface SavedQueryStore extends AsyncDisposable {
  /**
   * Saves a query under a name that no other query of its project has.
   * @throws SavedQueriesFullError, SavedQueriesUnavailableError
   */
  create(query: NewSavedQuery, options?: CallOptions): Promise<QueryCreated>;
  /**
   * Returns the query; null when the project has none with this id.
   * @throws SavedQueriesUnavailableError
   */
  find(projectId: number, queryId: string, options?: CallOptions): Promise<StoredQuery | null>;
  /**
   * Lists the queries of a project by name, in the order of code points, without their requests.
   * @throws SavedQueriesUnavailableError
   */
  list(
    projectId: number,
    page: { readonly limit: number; readonly after?: string },
    options?: CallOptions,
  ): Promise<QueryPage>;
  /**
   * Replaces a query of the project `query.projectId`.
   * @param version must be the present one; undefined: any
   * @throws SavedQueriesFullError, SavedQueriesUnavailableError
   */
  update(
    queryId: string,
    version: number | undefined,
    query: NewSavedQuery,
    options?: CallOptions,
  ): Promise<QueryUpdated>;
  /**
   * Deletes a query of a project.
   * @param version must be the present one; undefined: any
   * @throws SavedQueriesUnavailableError
   */
  delete(
    projectId: number,
    queryId: string,
    version: number | undefined,
    options?: CallOptions,
  ): Promise<"deleted" | "unknown" | "stale">;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface NewSavedQuery {
  readonly projectId: number;
  readonly name: string;
  readonly description: string;
  /** JSON, stored as it is. */
  readonly request: string;
}

/** A query in a list. */
export interface ListedQuery extends Omit<NewSavedQuery, "request"> {
  readonly queryId: string;
  /** 1 at first; each update adds 1. */
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface StoredQuery extends ListedQuery {
  readonly request: string;
}

export interface QueryPage {
  readonly items: readonly ListedQuery[];
  /** The cursor of the next page; null when this one is the last. */
  readonly next: string | null;
}

/** `too_many`: the project has `maxQueriesOfProject`. */
export type QueryCreated =
  | { readonly kind: "saved"; readonly query: StoredQuery }
  | { readonly kind: "name_taken" | "too_many" };

/** `stale`: the query has another version. */
export type QueryUpdated =
  | { readonly kind: "saved"; readonly query: StoredQuery }
  | { readonly kind: "name_taken" | "unknown" | "stale" };

/** Saved queries of one project. Processes that save at the same moment may exceed it by a few. */
export const maxQueriesOfProject = 1_000;

/** The store can't be read or changed at the moment. */
export class SavedQueriesUnavailableError extends Error {
  override readonly name: string = "SavedQueriesUnavailableError";
}

/** There is no space for more. */
export class SavedQueriesFullError extends SavedQueriesUnavailableError {
  override readonly name = "SavedQueriesFullError";
}

/** The store can't be opened, and trying again does not help. */
export class SavedQueriesOpenError extends Error {
  override readonly name = "SavedQueriesOpenError";
}
