import type { Message } from "@bufbuild/protobuf";
import type {
  AnalyzeEventsResponse,
  DownloadEventsResponse,
  DownloadEventUsersResponse,
  ListEventUsersResponse,
} from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type {
  EventDownloadQuery,
  EventQuery,
  EventUserDownloadQuery,
  EventUserQuery,
} from "../../gen/engage/analysis/v1/query_pb.ts";
import type { QueryViolation } from "./refusal/refusal.ts";

export type AnyQuery = EventQuery | EventDownloadQuery | EventUserQuery | EventUserDownloadQuery;

/**
 * Answers the queries of a project: computes them itself, or asks another
 * service. Queries are cancelled when the signal is aborted, whose reason is
 * then thrown. Refusals are AnalysisRefusal.
 */
export interface AnalysisEngine {
  analyze(query: EventQuery, call: EngineCall): Promise<EngineResponse<AnalyzeEventsResponse>>;
  listUsers(query: EventUserQuery, call: EngineCall): Promise<EngineResponse<ListEventUsersResponse>>;
  /** The header first; what it says of CSV is filled in by the caller. */
  download(query: EventDownloadQuery, call: EngineCall): AsyncIterable<DownloadEventsResponse>;
  downloadUsers(query: EventUserDownloadQuery, call: EngineCall): AsyncIterable<DownloadEventUsersResponse>;
  /** What is wrong with a query besides its form, without asking it; left out by engines that can't tell. */
  faultsOf?(query: AnyQuery, signal: AbortSignal): Promise<readonly QueryViolation[]>;
  /** Grows with the project's data, so that a kept answer can be told from an outdated one; undefined where nobody knows. */
  version(projectId: number): number | undefined;
}

export interface EngineResponse<M extends Message> {
  readonly message: M;
  /** The response over REST, where the engine has written it: the message may lack what is in these bytes. */
  readonly json?: Uint8Array;
}

export interface EngineCall {
  readonly signal: AbortSignal;
  /** For whom the query runs, such as a token: askers get equal shares of the engine. */
  readonly asker?: string | undefined;
  /** The exact body and URL query of a REST call; undefined for typed ones. */
  readonly rest: RestCall | undefined;
  /** Refuses cohorts and other names that nobody has declared, where nobody reads the warnings of an answer. */
  readonly refusesUndeclared?: boolean;
}

export interface RestCall {
  readonly body: Uint8Array;
  /** Without the token. */
  readonly search: URLSearchParams;
}
