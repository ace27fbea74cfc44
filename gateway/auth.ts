import { Code, ConnectError } from "@connectrpc/connect";
import { sha256Hex } from "../base/text/digest.ts";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.ts";
import { Health } from "../gen/grpc/health/v1/health_pb.ts";
import { NodeHeaders } from "./call/headers.ts";
import { anonymous, type Caller, type CallRecord } from "./call/record.ts";
import type { Authorize } from "./gateway-context.ts";
import { type NodeRequest, peerOf } from "./http/http.ts";
import { isReadOnly, type ServedMethod } from "./methods.ts";

/** What a key may do: `read` makes only calls that change nothing. */
export type KeyAccess = "read" | "write";

/** A bearer key; only its digest is kept. */
export interface KeyRule {
  /** The name of the key in logs. */
  readonly name: string;
  /** SHA-256 of the key as 64 hexadecimal digits, as `sha256Hex` makes it. */
  readonly sha256: string;
  /** `*`, `package.Service/*` or `package.Service/Method`. */
  readonly methods: readonly string[];
  /** `write` by default. */
  readonly access?: KeyAccess | undefined;
}

export interface CertificateRule {
  /** The subject, in the form of `Peer.certificate`. */
  readonly subject: string;
  readonly methods: readonly string[];
}

export interface AuthOptions {
  /** `off` admits all callers and still recognises their keys. */
  readonly mode: "keys" | "off";
  readonly keys: readonly KeyRule[];
  /** Without this list a verified client certificate may call everything. */
  readonly certificates?: readonly CertificateRule[] | undefined;
  /** Returns the key of a session by the header `cookie`. */
  readonly sessionKeyOf?: ((cookies: string | null) => string | undefined) | undefined;
}

/** Throws UNAUTHENTICATED unless a request has a key, whatever that may call, or a client certificate. */
export type RequireKey = (request: NodeRequest) => void;

export function createRequireKey(options: AuthOptions): RequireKey {
  const identify = createIdentify(options);
  return ({ headers, socket }) => {
    const sent = new NodeHeaders(headers);
    const presented = [...presentedKeys(sent), ...sessionKeys(options, sent)];
    if (identify(presented, { peer: peerOf(socket) }) === undefined)
      throw unauthenticated(presented.length > 0);
  };
}

interface Identity {
  readonly caller: Caller;
  readonly mayCall: (served: ServedMethod) => boolean;
  readonly access: KeyAccess;
}

/**
 * Recognises callers by bearer key or verified client certificate and checks
 * what they may call. Health checks need no key, nor do methods over REST
 * whose handler authenticates callers itself. A session counts as its key where
 * no other is presented, except over native gRPC, which pages cannot use.
 * @throws Error when a rule is malformed or two keys are the same
 */
export function createAuthorizer(options: AuthOptions): Authorize {
  const identify = createIdentify(options);
  const hasNoUseForKeys = options.mode === "off" && options.keys.length === 0;
  return (record, served, header) => {
    if (hasNoUseForKeys && record.peer.certificate === undefined) {
      record.caller = anonymous;
      record.mayCall = false;
      return;
    }
    const sent = hasNoUseForKeys ? [] : presentedKeys(header);
    const ofSession =
      sent.length > 0 || hasNoUseForKeys || record.protocol === "grpc" ? [] : sessionKeys(options, header);
    const presented = sent.length > 0 ? sent : ofSession;
    const identity = identify(presented, record);
    // Without the header a session authorizes no call that changes something, also where the handler checks callers.
    const isUsable = ofSession.length === 0 || isReadOnly(served) || isScripted(header);
    const known = isUsable ? identity : undefined;
    const needsNoKey = options.mode === "off" || isOpen(served, record);
    // A stream that is checked again may go on without its key. One that ends keeps its caller, for the log.
    if (known !== undefined || needsNoKey) record.caller = known?.caller ?? anonymous;
    record.mayCall = known?.mayCall(served) ?? false;
    if (options.mode === "off") return;
    if (identity?.access === "read" && !isReadOnly(served)) throw readOnly(served);
    if (needsNoKey) return;
    if (identity === undefined) throw unauthenticated(presented.length > 0);
    if (!isUsable) throw notScripted(served);
    if (!record.mayCall) throw denied(served);
  };
}

function createIdentify({ keys, certificates }: AuthOptions) {
  const byDigest = indexKeys(keys);
  const bySubject = new Map(
    certificates?.map(({ subject, methods }) => [
      subject,
      compileMethods(methods, `certificate "${subject}"`),
    ]),
  );
  const mayCallAsSubject =
    certificates === undefined ? () => always : (subject: string) => bySubject.get(subject) ?? never;

  return (presented: readonly string[], { peer }: Pick<CallRecord, "peer">): Identity | undefined => {
    for (const key of presented) {
      // Looking a digest up takes a time that depends on the digest. That reveals nothing: to learn the
      // stored digests byte by byte they would have to choose keys by the bytes of their digests, and a digest once
      // known still has to be inverted.
      const identity = byDigest.get(sha256Hex(key));
      if (identity !== undefined) return identity;
    }
    // A wrong key is the caller's error and must not pass as another caller.
    if (presented.length > 0 || peer.certificate === undefined) return undefined;
    return {
      caller: { kind: "certificate", name: peer.certificate },
      mayCall: mayCallAsSubject(peer.certificate),
      access: "write",
    };
  };
}

function indexKeys(keys: readonly KeyRule[]): ReadonlyMap<string, Identity> {
  const byDigest = new Map<string, Identity>();
  for (const { name, sha256, methods, access = "write" } of keys) {
    const digest = sha256.toLowerCase();
    if (!/^[0-9a-f]{64}$/.test(digest))
      throw new Error(`sha256 of key "${name}" must be 64 hexadecimal digits`);
    const copy = byDigest.get(digest);
    if (copy !== undefined) throw new Error(`keys "${copy.caller.name}" and "${name}" are the same key`);
    byDigest.set(digest, {
      caller: { kind: "key", name },
      mayCall: compileMethods(methods, `key "${name}"`),
      access,
    });
  }
  return byDigest;
}

const always = (): boolean => true;
const never = (): boolean => false;

function compileMethods(patterns: readonly string[], owner: string): (served: ServedMethod) => boolean {
  for (const pattern of patterns) {
    if (pattern !== "*" && !/^[\w.]+\/(?:\*|\w+)$/.test(pattern)) {
      throw new Error(
        `methods of ${owner} has "${pattern}", valid are "*", "package.Service/*" and "package.Service/Method"`,
      );
    }
  }
  if (patterns.includes("*")) return always;
  const names = new Set(patterns);
  return ({ name, desc }) => names.has(name) || names.has(`${desc.parent.typeName}/*`);
}

function isOpen(served: ServedMethod, { protocol }: CallRecord): boolean {
  if (served.desc.parent.typeName === Health.typeName) return true;
  return protocol === "rest" && served.options.handlerAuthenticatesRest;
}

function presentedKeys(header: Headers): string[] {
  const bearer = /^bearer +(\S+) *$/i.exec(header.get("authorization") ?? "")?.[1];
  const apiKey = header.get("x-api-key")?.trim();
  return [bearer, apiKey].filter((key) => key !== undefined && key !== "") as string[];
}

function sessionKeys({ sessionKeyOf }: AuthOptions, header: Headers): string[] {
  const key = sessionKeyOf?.(header.get("cookie"));
  return key === undefined ? [] : [key];
}

/** Headers that scripts set and forms, images and links cannot. */
const scriptHeaders = ["connect-protocol-version", "x-grpc-web"] as const;

function isScripted(header: Headers): boolean {
  return scriptHeaders.some((name) => header.has(name));
}

const accepted = "authorization: Bearer KEY, x-api-key: KEY";

function unauthenticated(hasKey: boolean): ConnectError {
  const message = hasKey ? "the key is not known to this server" : "this call needs a key";
  return new ConnectError(
    `${message}, accepted are "authorization: Bearer KEY", "x-api-key: KEY" and client certificates`,
    Code.Unauthenticated,
    { "www-authenticate": "Bearer" },
    [errorInfo(hasKey ? "KEY_UNKNOWN" : "KEY_MISSING", { accepted })],
  );
}

/** Names the method and not the key: more people may see the response than the configuration. */
function denied({ name }: ServedMethod): ConnectError {
  return new ConnectError(`this caller may not call ${name}`, Code.PermissionDenied, undefined, [
    errorInfo("METHOD_NOT_ALLOWED", { method: name }),
  ]);
}

function readOnly({ name }: ServedMethod): ConnectError {
  return new ConnectError(
    `this key has read access, and ${name} changes something: use a key with access: write`,
    Code.PermissionDenied,
    undefined,
    [errorInfo("READ_ONLY", { method: name })],
  );
}

function notScripted({ name }: ServedMethod): ConnectError {
  return new ConnectError(
    `${name} changes something: with a session it needs the header ${scriptHeaders.join(" or ")}`,
    Code.PermissionDenied,
    undefined,
    [errorInfo("SESSION_HEADER_MISSING", { method: name })],
  );
}

function errorInfo(reason: string, metadata: Record<string, string>) {
  return { desc: ErrorInfoSchema, value: { reason, domain: "engage", metadata } };
}
