import type { Message } from "@bufbuild/protobuf";
import type { Violation } from "../../base/rpc/violation.ts";
import type { Trace } from "../../base/trace/trace.ts";
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
import type { UserChunk } from "../../store/events/events.ts";

export type AnyQuery = EventQuery | EventDownloadQuery | EventUserQuery | EventUserDownloadQuery;

/**
 * Runs the queries of a project: on its own events, or by calling another service. A query is cancelled when the signal
 * is aborted, whose reason is then thrown. Refusals are AnalysisRefusal.
 */
export interface AnalysisEngine {
  analyze(query: EventQuery, call: EngineCall): Promise<EngineResponse<AnalyzeEventsResponse>>;
  listUsers(query: EventUserQuery, call: EngineCall): Promise<EngineResponse<ListEventUsersResponse>>;
  /** Yields the header first; the caller fills in its CSV options. */
  download(query: EventDownloadQuery, call: EngineCall): AsyncIterable<DownloadEventsResponse>;
  downloadUsers(query: EventUserDownloadQuery, call: EngineCall): AsyncIterable<DownloadEventUsersResponse>;
  /**
   * Yields the users of a download as they are stored, without a row for each; undefined for engines that return rows
   * only.
   */
  findUsers?(query: EventUserDownloadQuery, call: EngineCall): AsyncIterable<UserChunk>;
  /** Returns the faults of a query without running it; undefined for engines that cannot check a query. */
  faultsOf?(query: AnyQuery, signal: AbortSignal): Promise<readonly Violation[]>;
  /**
   * Returns a number that grows with the project's data, so that outdated results are detected; undefined where it is
   * unknown.
   */
  version(projectId: number): number | undefined | Promise<number | undefined>;
}

export interface EngineResponse<M extends Message> {
  readonly message: M;
  /** The response over REST, where the engine has written it: the message may lack what is in these bytes. */
  readonly json?: Uint8Array;
}

export interface EngineCall {
  readonly signal: AbortSignal;
  /** The token for which the query runs: tokens get equal shares of the engine. */
  readonly caller?: string | undefined;
  /** The trace of the call, to which the statements of the engine belong. */
  readonly trace?: Trace | undefined;
  /** The exact body and URL query of a REST call; undefined for typed ones. */
  readonly rest: RestCall | undefined;
  /** Refuses names that are not declared, such as cohorts, instead of warning: for callers that show no warnings. */
  readonly refusesUndeclared?: boolean;
}

export interface RestCall {
  readonly body: Uint8Array;
  /** The query parameters without the token. */
  readonly search: URLSearchParams;
}
