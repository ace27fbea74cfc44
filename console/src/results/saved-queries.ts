import { SavedQueries, type SavedQuery } from "../../../gen/engage/analysis/v1/saved_queries_pb.ts";
import { clientOf } from "../rpc/transport.ts";

export const savedClient = clientOf(SavedQueries);

/** What people write about a saved query. */
export type Title = Pick<SavedQuery, "name" | "description">;

/** Finds a saved query with its request, which lists do not have. */
export async function findQuery(projectId: bigint, queryId: string): Promise<SavedQuery> {
  return (await savedClient.getSavedQuery({ projectId, queryId })).savedQuery!;
}

/** Saves a request as a new query. */
export async function createQuery(projectId: bigint, title: Title, requestJson: string): Promise<SavedQuery> {
  const savedQuery = { ...title, requestJson };
  return (await savedClient.createSavedQuery({ projectId, savedQuery })).savedQuery!;
}

/** Changes some fields of a query, unless somebody else has changed it since it was read. */
export async function updateQuery(
  projectId: bigint,
  { queryId, name, description, requestJson, etag }: SavedQuery,
  changed: Partial<Title & Pick<SavedQuery, "requestJson">>,
): Promise<SavedQuery> {
  const savedQuery = { name, description, requestJson, etag, ...changed };
  return (await savedClient.updateSavedQuery({ projectId, queryId, savedQuery })).savedQuery!;
}
