import type { IncomingMessage } from "node:http";
import { quoteText } from "../../base/text/quote.ts";
import type { NodeRequest } from "../http/http.ts";
import { type Host, parseHost } from "./host.ts";

/** The host that a request is for. */
export interface Destination {
  /** Undefined when an HTTP/1.0 or HTTP/2 request names none. */
  readonly host: Host | undefined;
}

/** Hosts by their text: a server has few names. */
const known = new Map<string, Destination>();
const maxKnown = 256;
const unavailablePage: Destination = { host: undefined };

let lastText: string | undefined;
let lastHead: Destination | undefined;

/**
 * Checks the target and the host of a request, and brings the target into the
 * form `/path?query`, with the host in its header (RFC 9112, sections 3.2 and
 * 3.3). Returns a string with the fault of a bad one.
 */
export function readHead(request: NodeRequest): Destination | string {
  const { url = "" } = request;
  const problem = "stream" in request ? authorityProblem(request.headers) : hostProblem(request);
  if (problem !== undefined) return problem;
  if (url.charCodeAt(0) !== 47 /* "/" */ && url !== "*") {
    const absolute = /^https?:\/\/([^/?#]*)([^#]*)/i.exec(url);
    if (absolute === null) return `the request target ${quoteText(url)} is neither a path nor an http URL`;
    const [, host = "", rest = ""] = absolute;
    request.url = rest.startsWith("/") ? rest : `/${rest}`;
    // It takes precedence over the header.
    request.headers.host = host;
  }
  const text = request.headers[":authority"] ?? request.headers.host;
  if (text === undefined) return unavailablePage;
  return headOf(text as string) ?? `the host ${quoteText(text as string)} is not valid`;
}

/** Node keeps the first of several lines. */
function hostProblem({ rawHeaders }: IncomingMessage): string | undefined {
  let lines = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === "host") lines++;
  }
  return lines > 1 ? `the request has ${lines} host headers, valid is one` : undefined;
}

function authorityProblem(headers: NodeRequest["headers"]): string | undefined {
  const authority = headers[":authority"];
  const { host } = headers;
  if (authority === undefined || host === undefined || authority === host) return undefined;
  return `the request goes to ${quoteText(String(authority))}, but its host header is ${quoteText(host)}`;
}

function headOf(text: string): Destination | undefined {
  // Comparing texts takes less time than a look-up, which has to hash each of them.
  if (text === lastText) return lastHead;
  const head = known.get(text) ?? parseHead(text);
  if (head === undefined) return undefined;
  lastText = text;
  lastHead = head;
  return head;
}

function parseHead(text: string): Destination | undefined {
  const host = parseHost(text);
  if (host === undefined) return undefined;
  if (known.size >= maxKnown) known.clear();
  const head = { host };
  known.set(text, head);
  return head;
}
