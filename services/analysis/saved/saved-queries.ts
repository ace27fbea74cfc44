import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { refuseField, refuseViolations, under } from "../../../base/rpc/invalid-fields.ts";
import { readPage, writePageToken } from "../../../base/rpc/paging.ts";
import { quoteText } from "../../../base/text/quote.ts";
import type {
  SavedQueries,
  SavedQuery,
  SavedQuerySchema,
} from "../../../gen/engage/analysis/v1/saved_queries_pb.ts";
import type {
  ListedQuery,
  NewSavedQuery,
  SavedQueryStore,
  StoredQuery,
} from "../../../store/savedqueries/savedqueries.ts";
import type { Admission } from "../admission/admission.ts";
import { findReached, type ReachedProject } from "../admission/reached-project.ts";
import type { AnalysisObserver } from "../observer.ts";
import { runCall } from "../run-call.ts";
import { checkSavedQuery } from "./check-saved-query.ts";
import { nameTaken, refuseErrors, staleEtag, tooMany, unknownQuery } from "./refusals.ts";

export interface SavedQueriesOptions {
  readonly admission: Admission;
  readonly observer: AnalysisObserver;
  /** Returns the store, which the first call opens. @throws SavedQueriesUnavailableError */
  readonly store: () => Promise<SavedQueryStore>;
}

/** A call on a project. */
interface SavedCall extends ReachedProject {
  readonly store: SavedQueryStore;
  readonly signal: AbortSignal;
}

interface ProjectRequest {
  readonly token: string;
  readonly projectId: bigint;
}

/** The SavedQueries service. `check-saved-query.ts` has the rules, `refusals.ts` the errors. */
export function createSavedQueries({
  admission,
  observer,
  store,
}: SavedQueriesOptions): ServiceImpl<typeof SavedQueries> {
  const onProject =
    <R extends ProjectRequest, T>(work: (request: R, call: SavedCall) => Promise<T>) =>
    (request: R, context: HandlerContext): Promise<T> =>
      runCall(observer, "saved_queries", context.signal, () =>
        refuseErrors(async () => {
          const { signal } = context;
          const reached = findReached(admission.reach({ token: request.token, context }), request.projectId);
          return await work(request, { ...reached, store: await store(), signal });
        }),
      );
  return {
    createSavedQuery: onProject(async ({ savedQuery }, call) => {
      const given = savedQuery ?? refuseField("saved_query", "is required");
      refuseViolations(under("saved_query", checkUnassigned(given)));
      const query = await toNew(given, call);
      const created = await call.store.create(query, call);
      if (created.kind === "saved") return { savedQuery: toMessage(created.query) };
      throw created.kind === "name_taken" ? nameTaken(query.name) : tooMany(call.projectId);
    }),
    getSavedQuery: onProject(async ({ queryId }, call) => {
      const found = await call.store.find(call.projectId, queryId, call);
      if (found === null) throw unknownQuery(call.projectId, queryId);
      return { savedQuery: toMessage(found) };
    }),
    listSavedQueries: onProject(async (request, call) => {
      const list = ["saved queries", call.projectId];
      const { items, next } = await call.store.list(call.projectId, readPage(request, list), call);
      return { savedQueries: items.map(toListed), nextPageToken: writePageToken(next, list) };
    }),
    updateSavedQuery: onProject(async ({ queryId, savedQuery }, call) => {
      const given = savedQuery ?? refuseField("saved_query", "is required");
      if (given.queryId !== "" && given.queryId !== queryId) {
        const problem = `is ${quoteText(given.queryId)}, valid is ${quoteText(queryId)} or none`;
        refuseField("saved_query.query_id", problem);
      }
      const query = await toNew(given, call);
      const updated = await call.store.update(queryId, versionOf(given.etag), query, call);
      if (updated.kind === "saved") return { savedQuery: toMessage(updated.query) };
      if (updated.kind === "unknown") throw unknownQuery(call.projectId, queryId);
      throw updated.kind === "stale" ? staleEtag(given.etag) : nameTaken(query.name);
    }),
    deleteSavedQuery: onProject(async ({ queryId, etag }, call) => {
      const deleted = await call.store.delete(call.projectId, queryId, versionOf(etag), call);
      if (deleted === "deleted") return {};
      throw deleted === "stale" ? staleEtag(etag) : unknownQuery(call.projectId, queryId);
    }),
  };
}

/** An id or an etag in a new query refers to an existing one, so that a copy would be saved where a change is meant. */
function checkUnassigned({ queryId, etag }: SavedQuery) {
  return Object.entries({ query_id: queryId, etag })
    .filter(([, value]) => value !== "")
    .map(([field, value]) => ({
      field,
      description: `is ${quoteText(value)}, which the service assigns: it must be empty here`,
    }));
}

/** @throws InvalidFieldsError */
async function toNew(given: SavedQuery, call: SavedCall): Promise<NewSavedQuery> {
  refuseViolations(await checkSavedQuery(given, call, call.signal));
  const { name, description, requestJson: request } = given;
  return { projectId: call.projectId, name, description, request };
}

/** Returns the version of an etag; -1, which no query has, for another text; undefined for none. */
function versionOf(etag: string): number | undefined {
  if (etag === "") return undefined;
  return /^v\d{1,9}$/.test(etag) ? Number(etag.slice(1)) : -1;
}

function toMessage(query: StoredQuery): MessageInitShape<typeof SavedQuerySchema> {
  return { ...toListed(query), requestJson: query.request };
}

function toListed(query: ListedQuery): MessageInitShape<typeof SavedQuerySchema> {
  const { queryId, projectId, name, description, version, createdAtMs, updatedAtMs } = query;
  return {
    queryId,
    projectId: BigInt(projectId),
    name,
    description,
    etag: `v${version}`,
    createTime: timestampFromMs(createdAtMs),
    updateTime: timestampFromMs(updatedAtMs),
  };
}
