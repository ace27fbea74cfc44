import { Code } from "@connectrpc/connect";
import { quoteText } from "../../../base/text/quote.ts";
import {
  maxQueriesOfProject,
  SavedQueriesFullError,
  SavedQueriesUnavailableError,
} from "../../../store/savedqueries/savedqueries.ts";
import { refuseInvalidFields } from "../catalog/refusals.ts";
import { AnalysisRefusal, returnCodes } from "../refusal/refusal.ts";

const retryAfterMs = 5_000;

/** Runs a method whose errors become refusals. */
export async function refuseErrors<T>(method: () => Promise<T>): Promise<T> {
  try {
    return await refuseInvalidFields(method);
  } catch (error) {
    if (!(error instanceof SavedQueriesUnavailableError)) throw error;
    const state = error instanceof SavedQueriesFullError ? "full" : "unavailable";
    const message = `the store of saved queries is ${state}`;
    throw new AnalysisRefusal(returnCodes.unavailable, message, { retryAfterMs, cause: error });
  }
}

function refusal(message: string, code: Code, reason: string): AnalysisRefusal {
  return new AnalysisRefusal(returnCodes.parameter, message, { status: { code, reason } });
}

export function unknownQuery(projectId: number, queryId: string): AnalysisRefusal {
  const message = `project ${projectId} has no saved query ${quoteText(queryId)}, ListSavedQueries lists them`;
  return refusal(message, Code.NotFound, "SAVED_QUERY_UNKNOWN");
}

export function nameTaken(name: string): AnalysisRefusal {
  const message = `saved_query.name is ${quoteText(name)}, which is the name of another saved query`;
  return refusal(message, Code.AlreadyExists, "SAVED_QUERY_NAME_TAKEN");
}

export function tooMany(projectId: number): AnalysisRefusal {
  const message = `project ${projectId} has ${maxQueriesOfProject} saved queries, delete one first`;
  return refusal(message, Code.ResourceExhausted, "TOO_MANY_SAVED_QUERIES");
}

export function staleEtag(etag: string): AnalysisRefusal {
  const message = `etag is ${quoteText(etag)}, which is not the current one, read the saved query again`;
  return refusal(message, Code.Aborted, "ETAG_STALE");
}
