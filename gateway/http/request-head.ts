import type { Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { Caller } from "../call/record.ts";

/** A REST request before its body is read. */
export interface RequestHead {
  readonly header: Pick<Headers, "get">;
  /** The caller by its key or certificate; anonymous for most callers of such methods. */
  readonly caller: Caller;
  /** The value of a path variable by the name of its proto field; undefined when it can't be decoded. */
  path(field: string): string | undefined;
  /** The first value of a query parameter, decoded; undefined without one that can be decoded. */
  query(name: string): string | undefined;
}

/**
 * What the head of a request tells of its caller:
 * - `known`: the body may be as large as the method allows.
 * - `unknown`: it may have `limits.unknownCallerBytes`, on the wire and inflated,
 *   which is enough to look for a name in it.
 * - `maxBytes`: the body may have this many bytes, if the method allows them; `tooLarge` makes the error for more.
 * - `response`: the call ends with this response, and its body is not read. Only for unary methods.
 */
export type Standing =
  | "known"
  | "unknown"
  | { readonly maxBytes: number; readonly tooLarge?: () => ConnectError }
  | { readonly response: Message };

/**
 * Decides from the path, the query and the headers of a REST request who asks,
 * for methods whose handler authenticates callers by itself: what it throws is
 * the answer, and nothing of the body is read, inflated or parsed. It runs for
 * every request, so it must be quick and do no I/O. A service hands it to
 * `serve` with its implementation:
 *
 *     serve(AnalysisProxy, proxy, { admit: { analyzeEvents: admitByToken } })
 */
export type AdmitHead = (head: RequestHead) => Standing;

/**
 * Refuses callers of gRPC, gRPC-Web and Connect before their message is read,
 * where who calls is enough to know: what it throws is the answer.
 */
export type AdmitCaller = (caller: Caller) => void;

/** What may be read of a body. */
export interface BodyLimit {
  readonly maxBytes: number;
  /** The error for a body of more bytes than that; by default that it is too large. */
  readonly tooLarge?: () => ConnectError;
}
