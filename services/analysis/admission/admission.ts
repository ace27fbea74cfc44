import type { HandlerContext } from "@connectrpc/connect";
import { type RateLimit, TokenBucket } from "../../../base/async/token-bucket.ts";
import type { RequestHead } from "../../../base/rpc/request-head.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import { bare, listKnown } from "../../../base/text/known-names.ts";
import type { Trace } from "../../../base/trace/trace.ts";
import { type AnalysisObserver, type Operation, outcomeOf } from "../observer.ts";
import type { AnalysisProject } from "../project/project.ts";
import { toCallError } from "../refusal/call-error.ts";
import { AnalysisRefusal, returnCodes } from "../refusal/refusal.ts";
import { refuseQuery } from "../rest/query-body.ts";
import { bearerOf, findToken, isReached, type TokenList, type TokenRule } from "./tokens.ts";

export interface AdmissionOptions {
  readonly tokens: TokenList;
  readonly projects: ReadonlyMap<number, AnalysisProject>;
  /** Milliseconds that never go back. */
  readonly monotonic: () => number;
  /** Rate limit of tokens without a limit of their own; undefined for none. */
  readonly rateLimit: () => RateLimit | undefined;
  /** Returns the name of a caller that the gateway has accepted for the method, such as that of its key. */
  readonly keyOf?: ((context: HandlerContext) => string | undefined) | undefined;
  /** Returns the trace of a call. Default: none. */
  readonly traceOf?: ((context: HandlerContext) => Trace | undefined) | undefined;
}

/** What a call presents. */
export interface Credentials {
  /** Token of the message; empty without one. */
  readonly token: string;
  readonly context: HandlerContext;
}

/** The projects that a caller can query. */
export interface Reach {
  readonly projects: ReadonlyMap<number, AnalysisProject>;
  /** Whether there may be other projects. */
  readonly isLimited: boolean;
  /** Name of the token or key. */
  readonly caller: string;
}

/** A call whose token or key has access to the project. */
export interface Admitted {
  readonly project: AnalysisProject;
  /** Name of the token or key. */
  readonly caller: string;
  readonly trace?: Trace | undefined;
  /** Checks again that the token or key has access: it may be removed while a call runs. @throws AnalysisRefusal */
  readonly recheck: () => void;
}

export interface Admission {
  /**
   * Returns the project of a call. Checks the caller first: one without access gets no faults of its query.
   * @param faults other faults of the call, which are reported together with a project that does not exist
   * @throws AnalysisRefusal
   */
  admit(credentials: Credentials, projectId: bigint | number, faults?: readonly Violation[]): Admitted;
  /** Returns the projects that a caller can query. @throws AnalysisRefusal */
  reach(credentials: Credentials): Reach;
}

/** A caller with its projects. */
interface Identity extends Pick<TokenRule, "projects">, Pick<Reach, "caller"> {
  /** Throws unless it still has access to a project. */
  readonly recheck: (projectId: number) => void;
}

/** Admits callers by their token. A caller with a key and without a token has access to all projects. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { tokens, projects, monotonic, rateLimit, keyOf } = options;
  const buckets = new Map<string, TokenBucket>();
  const limit = (rule: TokenRule): void => {
    const own = rule.rateLimit ?? rateLimit();
    if (own === undefined) return;
    const nowMs = monotonic();
    const bucket = buckets.get(rule.name) ?? new TokenBucket(own, nowMs);
    buckets.set(rule.name, bucket);
    const retryAfterMs = bucket.waitMs(own, nowMs);
    if (retryAfterMs === 0) {
      bucket.take();
      return;
    }
    const message = `too many queries with this token, at most ${own.perSecond} a second`;
    throw new AnalysisRefusal(returnCodes.busy, message, { retryAfterMs });
  };
  const identify = ({ token, context }: Credentials): Identity => {
    const bearer = bearerOf(context.requestHeader);
    const key = token === "" ? keyOf?.(context) : undefined;
    // The bearer may be the key.
    if (key !== undefined && tokens.find(bearer) === undefined) {
      const recheckKey = (): void => {
        if (keyOf?.(context) === undefined) throw removed("key");
      };
      return { projects: "*", caller: `key ${key}`, recheck: recheckKey };
    }
    const rule = findToken(tokens, token || bearer);
    limit(rule);
    const recheck = (projectId: number): void => recheckToken(tokens, token || bearer, projectId);
    return { projects: rule.projects, caller: `token ${rule.name}`, recheck };
  };
  return {
    admit(credentials, projectId, faults = []) {
      const identity = identify(credentials);
      const id = Number(projectId);
      if (id === 0) throw refuseProject("is required", faults);
      const project = projects.get(id);
      if (project !== undefined && isReached(identity, id)) {
        return {
          project,
          caller: identity.caller,
          trace: options.traceOf?.(credentials.context),
          recheck: () => identity.recheck(id),
        };
      }
      if (identity.projects !== "*") {
        throw new AnalysisRefusal(returnCodes.token, `the token has no access to project ${projectId}`);
      }
      const ids = [...projects.keys()].map(String);
      throw refuseProject(`there is no project ${projectId}, ${listKnown(ids, { write: bare })}`, faults);
    },
    reach(credentials) {
      const identity = identify(credentials);
      if (identity.projects === "*") return { projects, isLimited: false, caller: identity.caller };
      const reached = [...projects].filter(([id]) => isReached(identity, id));
      return { projects: new Map(reached), isLimited: true, caller: identity.caller };
    },
  };
}

/** The same parts, until the token or key of the call is removed. */
export async function* whileAdmitted<T>(
  parts: AsyncIterable<T>,
  recheck: Admitted["recheck"],
): AsyncGenerator<T> {
  for await (const part of parts) {
    recheck();
    yield part;
  }
}

/** Tokens that cannot be read at the moment count as unchanged. */
function recheckToken(tokens: TokenList, token: string, projectId: number): void {
  let rule: TokenRule | undefined;
  try {
    rule = tokens.find(token);
  } catch {
    return;
  }
  if (rule === undefined || !isReached(rule, projectId)) throw removed("token");
}

function removed(what: "key" | "token"): AnalysisRefusal {
  return new AnalysisRefusal(returnCodes.token, `the ${what} was removed, or has no access any more`);
}

function refuseProject(description: string, faults: readonly Violation[]): AnalysisRefusal {
  // The id may not have been a number.
  const isReported = faults.some(
    ({ field }) => field === "projectId" || field === "body" || field === "query",
  );
  return refuseQuery(isReported ? faults : [{ field: "projectId", description }, ...faults]);
}

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
  const forwardQuery: Admit = (head) => {
    try {
      return tokens.find(tokenOf(head)) === undefined ? "unknown" : "known";
    } catch (error) {
      throw toCallError(error);
    }
  };
  return {
    analyzeEvents: byToken("analyze"),
    listEventUsers: byToken("list_users"),
    downloadEvents: byToken("download"),
    downloadEventUsers: byToken("download_users"),
    forwardQuery,
  };
}

const never = new AbortController().signal;
