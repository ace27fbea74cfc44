import type { NodeRequest } from "../http/http.ts";
import { peerOf } from "../http/http.ts";
import type { Destination } from "../sites/head.ts";
import { isSameHost, parseOrigin } from "../sites/host.ts";

/**
 * Names of the cookie over TLS and without. Browsers accept the prefix only over TLS and for this host alone, so that
 * no other host of the domain can set it.
 */
const secureName = "__Host-engage-session";
const plainName = "engage-session";

/** Returns the session token of a `cookie` header, or undefined without one. */
export function sessionTokenIn(header: string | null | undefined): string | undefined {
  if (!header?.includes("engage-session=")) return undefined;
  const cookies = new Map(
    header.split(";").map((pair) => {
      const [name = "", value = ""] = pair.trim().split(/=(.*)/s);
      return [name, value];
    }),
  );
  return cookies.get(secureName) ?? cookies.get(plainName);
}

/**
 * Returns the `set-cookie` header that stores a token for as long as it is valid; an empty token removes it. Scripts
 * cannot read it, and browsers send it with requests of this site alone.
 */
export function sessionCookie(request: NodeRequest, token: string, maxAgeSeconds: number): string {
  // A proxy may end TLS: the page's origin says so, and pages cannot set that header.
  const isSecure =
    peerOf(request.socket).secure || request.headers.origin?.toLowerCase().startsWith("https:") === true;
  const name = isSecure ? secureName : plainName;
  const parts = [`${name}=${token}`, "Path=/", `Max-Age=${maxAgeSeconds}`, "HttpOnly", "SameSite=Strict"];
  return [...parts, ...(isSecure ? ["Secure"] : [])].join("; ");
}

/**
 * Returns whether a browser says that a page of this server sends the request. Browsers leave `sec-fetch-site` out
 * for plain HTTP to other machines; then the origin has to be there, as it is for every POST.
 */
export function isOfOwnPage({ headers }: NodeRequest, { host }: Destination): boolean {
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return false;
  if (origin === undefined) return site !== undefined;
  const from = parseOrigin(origin);
  return from !== undefined && host !== undefined && isSameHost(from, host);
}

/**
 * Removes the cookies of a request that another page, a link or a program sends, so that a session authorizes requests
 * of the console alone: a page of another port or host of this site would send the cookie too.
 */
export function dropForeignCookies(request: NodeRequest, head: Destination): void {
  const { headers } = request;
  if (headers.cookie !== undefined && !isOfOwnPage(request, head)) delete headers.cookie;
}
