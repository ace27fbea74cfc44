import type { Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";

/** A REST request before its body is read. */
export interface RequestHead {
  readonly header: Pick<Headers, "get">;
  /** The value of a path variable by the name of its proto field; undefined when it can't be decoded. */
  path(field: string): string | undefined;
  /** The first value of a query parameter, decoded; undefined if it is missing or can't be decoded. */
  query(name: string): string | undefined;
}

/** How much of a body is read. */
export interface BodyLimit {
  readonly maxBytes: number;
  /** Makes the error for a larger body; by default the error that the message is too large. */
  readonly tooLarge?: () => ConnectError;
}

/**
 * What the head of a request tells of its caller:
 * - `known`: the body may be as large as the method allows.
 * - `unknown`: the body may have `limits.unknownCallerBytes`, on the wire and
 *   inflated, which is enough to look for a name in it.
 * - BodyLimit: the body may have this many bytes, if the method allows them.
 * - `response`: the call ends with this response, and its body is not read. Only for unary methods.
 */
export type Standing = "known" | "unknown" | BodyLimit | { readonly response: Message };
