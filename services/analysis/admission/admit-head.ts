import type { RequestHead } from "../../../base/rpc/request-head.ts";
import { type AnalysisObserver, type Operation, outcomeOf } from "../observer.ts";
import { toCallError } from "../refusal/call-error.ts";
import { bearerOf, findToken } from "./admission.ts";
import type { TokenList } from "./tokens.ts";

type QueryHead = Pick<RequestHead, "header" | "query">;
type Admit = (head: QueryHead) => "known" | "unknown";

/** Creates the check of the token of each REST query before its body is read, by method. */
export function createHeadAdmission(tokens: TokenList, observer: AnalysisObserver) {
  const tokenOf = ({ header, query }: QueryHead): string => query("token") || bearerOf(header);
  const byToken =
    (operation: Operation): Admit =>
    (head) => {
      try {
        findToken(tokens, tokenOf(head));
        return "known";
      } catch (error) {
        observer.started(operation);
        observer.finished(operation, "none", outcomeOf(error, never), 0);
        throw toCallError(error);
      }
    };
  // Unknown paths are reported to every caller, after reading at most a small part of the body.
  const forwardQuery: Admit = (head) => (tokens.find(tokenOf(head)) === undefined ? "unknown" : "known");
  return {
    analyzeEvents: byToken("analyze"),
    listEventUsers: byToken("list_users"),
    downloadEvents: byToken("download"),
    downloadEventUsers: byToken("download_users"),
    forwardQuery,
  };
}

const never = new AbortController().signal;
