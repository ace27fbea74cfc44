import type { RequestHead, Standing } from "../../base/rpc/request-head.ts";
import type { Caller } from "../call/record.ts";

/** The head of a REST request, with its caller. */
export interface CallerHead extends RequestHead {
  /** The caller that the gateway has recognised by a key or certificate; anonymous for most callers of such methods. */
  readonly caller: Caller;
}

/**
 * Decides from the path, the query and the headers of a REST request how much of
 * its body is read, for methods whose handler authenticates callers by itself. The
 * error that it throws is the response, and nothing of the body is read, inflated or
 * parsed. It runs for every request, so it must be quick and do no I/O. A service
 * passes it to `serve` with its implementation:
 *
 *     serve(AnalysisProxy, proxy, { admit: { analyzeEvents: admitByToken } })
 */
export type AdmitHead = (head: CallerHead) => Standing;

/**
 * Refuses callers of gRPC, gRPC-Web and Connect before their message is read, where
 * the caller decides: the error that it throws is the response.
 */
export type AdmitCaller = (caller: Caller) => void;
