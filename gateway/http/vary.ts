import type { ServerResponse } from "node:http";
import type { NodeRequest } from "./port.ts";

/** Requests whose answer may depend on their origin. */
const byOrigin = new WeakSet<NodeRequest>();

/** Notes, for caches, that the answer depends on the origin of the page that asks. */
export function noteVary(request: NodeRequest, response: ServerResponse): void {
  byOrigin.add(request);
  response.setHeader("vary", "origin");
}

/** The header `vary` of an answer that depends on this header too. */
export function varyWith(request: NodeRequest, name: string): string {
  return byOrigin.has(request) ? `origin, ${name}` : name;
}
