import { sha256Hex } from "../../base/text/digest.ts";
import type { KeyAccess, KeyRule } from "../auth.ts";
import { type NodeRequest, peerOf } from "../http/http.ts";
import type { Endpoint, Page } from "../pages/pages.ts";
import { readHead } from "../sites/head.ts";
import { type AttemptLimit, createAttemptLimit } from "./attempts.ts";
import { isOfOwnPage, sessionCookie, sessionTokenIn } from "./cookie.ts";
import { readText } from "./read-text.ts";
import { createSessionDecoder, encodeSession, type Session } from "./token.ts";

/** A session lasts a working day. */
const sessionMs = 12 * 3_600_000;
/** The JSON with a key is shorter. */
const maxBodyBytes = 4_096;

export interface SessionsOptions {
  /** `off`: no call needs a key, and nobody has to sign in. */
  readonly mode: "keys" | "off";
  readonly keys: readonly KeyRule[];
  /** The limit of wrong keys, which sessions of other keys may share. */
  readonly attempts?: AttemptLimit;
  readonly now?: () => number;
}

/** The state of the session, as the endpoint returns it. */
interface SessionState {
  /** Whether calls need a key or a client certificate. */
  readonly required: boolean;
  /** The name of the key or the certificate; absent while nobody is signed in. */
  readonly name?: string;
  readonly access?: KeyAccess;
  /** Milliseconds since 1970. */
  readonly endMs?: number;
}

export interface Sessions {
  /** Returns the key that a `cookie` header stands for. */
  readonly keyOf: (cookies: string | null) => string | undefined;
  /** GET returns the state of the session, POST signs in with `{"key":"…"}`, DELETE signs out. */
  readonly endpoint: Endpoint;
}

/**
 * Creates the sessions of pages of this server. A session is stored nowhere but in its cookie, so that each replica
 * with the same keys accepts it; it ends with its time, with its key, and in the browser when its owner signs out.
 */
export function createSessions({
  mode,
  keys,
  attempts = createAttemptLimit(),
  now = Date.now,
}: SessionsOptions): Sessions {
  const rules = new Map(keys.map((rule) => [rule.sha256.toLowerCase(), rule]));
  const decode = createSessionDecoder([...rules.keys()]);
  const sessionOf = (cookies: string | null | undefined): Session | undefined => {
    const token = sessionTokenIn(cookies);
    return token === undefined ? undefined : decode(token, now());
  };
  const stateOf = (request: NodeRequest, session: Session | undefined): SessionState => {
    const { certificate } = peerOf(request.socket);
    const rule = session && rules.get(sha256Hex(session.key));
    if (session !== undefined && rule !== undefined) {
      const { name, access = "write" } = rule;
      return { required: mode === "keys", name, access, endMs: session.endMs };
    }
    const named = certificate === undefined ? {} : { name: certificate, access: "write" as const };
    return { required: mode === "keys", ...named };
  };
  const signIn = async (request: NodeRequest): Promise<Page> => {
    const { address } = peerOf(request.socket);
    const waitMs = attempts.waitMs(address, performance.now());
    if (waitMs > 0) return tooMany(waitMs);
    const key = keyIn(await readText(request, maxBodyBytes));
    if (key === undefined) return refusal(400, 3, 'the body must be {"key":"…"} with the text of a key');
    if (!rules.has(sha256Hex(key))) {
      attempts.failed(address, performance.now());
      return refusal(401, 16, "the key is not known to this server");
    }
    const session = { key, endMs: now() + sessionMs };
    const cookie = sessionCookie(request, encodeSession(session), sessionMs / 1_000);
    return json(200, stateOf(request, session), { "set-cookie": cookie });
  };
  return {
    keyOf: (cookies) => sessionOf(cookies)?.key,
    endpoint: {
      methods: ["DELETE", "GET", "HEAD", "POST"],
      respond(request) {
        if (request.method === "GET" || request.method === "HEAD")
          return json(200, stateOf(request, sessionOf(request.headers.cookie)));
        const head = readHead(request);
        if (typeof head === "string" || !isOfOwnPage(request, head))
          return refusal(403, 7, "only pages of this server may sign in and out");
        if (request.method === "POST") return signIn(request);
        return json(200, stateOf(request, undefined), { "set-cookie": sessionCookie(request, "", 0) });
      },
    },
  };
}

function keyIn(text: string | undefined): string | undefined {
  try {
    const { key } = JSON.parse(text ?? "") as { key?: unknown };
    return typeof key === "string" && key !== "" ? key.trim() : undefined;
  } catch {
    return undefined;
  }
}

function tooMany(waitMs: number): Page {
  const seconds = Math.ceil(waitMs / 1_000);
  const refused = refusal(429, 8, `too many wrong keys from this address, try again in ${seconds} s`);
  return { ...refused, headers: { ...refused.headers, "retry-after": String(seconds) } };
}

function refusal(status: number, code: number, message: string): Page {
  return json(status, { code, message, details: [] });
}

function json(status: number, value: object, headers: Readonly<Record<string, string>> = {}): Page {
  const noStore = { "cache-control": "no-store", ...headers };
  return { status, contentType: "application/json", body: JSON.stringify(value), headers: noStore };
}
