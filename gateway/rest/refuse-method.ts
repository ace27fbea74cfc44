import { Code } from "@connectrpc/connect";
import { shorten } from "../../base/text/quote.ts";
import { refuse } from "../call/refusals.ts";
import type { NodeRequest, NodeResponse } from "../http/http.ts";
import { sendResponse } from "../http/send.ts";
import type { ServedMethod } from "../methods.ts";
import { encodeError } from "./status.ts";

export interface RefusedMethod {
  readonly path: string;
  readonly methods: readonly string[];
  /** Where any path below a place is taken: the routes that exist there. */
  readonly below?: readonly string[];
  /** A method at the path, in whose error style the refusal is. */
  readonly served?: ServedMethod;
}

/** The path exists, but not for this method: 405 in the style of the path, or what OPTIONS asks for. */
export function refuseMethod(
  request: NodeRequest,
  response: NodeResponse,
  { path, methods, below = [], served }: RefusedMethod,
): void {
  const allow = [...new Set([...methods, "OPTIONS"])].sort().join(", ");
  if (request.method === "OPTIONS") {
    sendResponse(request, response, { status: 204, headers: { allow }, body: "" });
    return;
  }
  const listed = below.length === 0 ? "" : `; what is there is ${below.join(", ")}`;
  const message = `method ${shorten(request.method ?? "")} is not served at ${shorten(path)}, valid are ${allow}${listed}`;
  const answer = encodeError(refuse("METHOD_NOT_ALLOWED", Code.Unimplemented, message), served);
  sendResponse(request, response, { ...answer, headers: { ...answer.headers, allow } });
}
