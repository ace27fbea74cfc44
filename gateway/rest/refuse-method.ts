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
  /** The routes below the path of a template that takes all paths there. */
  readonly below?: readonly string[];
  /** A method at the path, in whose error style the refusal is. */
  readonly served?: ServedMethod;
}

/**
 * Responds to a method that is not served at a path with 405 in the style of the path, and to OPTIONS with the methods.
 */
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
  const listed = below.length === 0 ? "" : `; routes there are ${below.join(", ")}`;
  const message = `method ${shorten(request.method ?? "")} is not served at ${shorten(path)}, valid are ${allow}${listed}`;
  const content = encodeError(refuse("METHOD_NOT_ALLOWED", Code.Unimplemented, message), served);
  sendResponse(request, response, { ...content, headers: { ...content.headers, allow } });
}
