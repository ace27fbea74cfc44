import { hash } from "node:crypto";
import { encodeTrace } from "../../base/trace/context.ts";
import type { BatchAuth, BatchElement, NewBatch, Route } from "./batch.ts";
import { encodeElements } from "./element-list.ts";
import { decodeIndexes, encodeIndexes } from "./index-set.ts";

/** A batch in its stored form. Plain data, since it crosses to a worker thread. */
export interface StoredBatch {
  readonly channel: string;
  /** The time by the computer's clock. */
  readonly acceptedAtMs: number;
  readonly requestId: string | null;
  /** Null: no de-duplication. */
  readonly claim: { readonly key: Uint8Array; readonly expiresAtMs: number } | null;
  /** The SHA-256 of the body, where the key is made of it. */
  readonly sha256: Uint8Array | null;
  readonly body: Uint8Array;
  readonly elements: Uint8Array;
  readonly routes: readonly EncodedRoute[];
  readonly reply: Uint8Array | null;
  /** In the form of `encodeAuth`; null: unknown. */
  readonly auth: string | null;
  /** In the form of `encodeTrace`. */
  readonly trace: string | null;
  /** When another call may take over a key without a reply, by the store's clock. */
  readonly ownedUntilMs: number;
}

export interface StoredRoute {
  readonly target: string;
  readonly indexes: readonly number[];
  readonly ordered: boolean;
}

/** A route whose indexes are encoded, since hundreds of numbers would take long to cross to a thread. */
export interface EncodedRoute {
  readonly target: string;
  /** In the form of `encodeIndexes`. */
  readonly ranges: string;
  /** The number of indexes. */
  readonly count: number;
  readonly ordered: boolean;
}

export interface StoredBatchOptions {
  readonly wallMs: number;
  /** The time by the store's clock. */
  readonly nowMs: number;
  readonly claimMs: number;
}

const defaultOwnerLeaseMs = 30_000;

/**
 * Converts a batch to its stored form.
 * @throws RangeError when its fields are inconsistent
 */
export function toStoredBatch(batch: NewBatch, options: StoredBatchOptions): StoredBatch {
  const { wallMs, nowMs, claimMs } = options;
  checkElements(batch);
  const all = batch.elements.map(({ index }) => index);
  const routes = batch.routes.map((route) => encodeRoute(toStoredRoute(route, all)));
  if (new Set(routes.map(({ target }) => target)).size < routes.length) {
    throw new RangeError("routes name a target twice");
  }
  const windowMs = batch.requestId === null ? (batch.dedupeWindowMs ?? 0) : 0;
  const digest = windowMs > 0 ? digestOf(batch.body) : null;
  return {
    channel: batch.channel,
    acceptedAtMs: wallMs,
    requestId: batch.requestId,
    claim: digest === null ? claimOf(batch, nowMs + claimMs) : claimOfDigest(digest, nowMs + windowMs),
    sha256: digest,
    body: batch.body,
    elements: encodeElements(batch.elements),
    // A fixed order, so that transactions of several replicas update the counts in the same order.
    routes: routes.sort((a, b) => (a.target < b.target ? -1 : 1)),
    reply: batch.reply,
    auth: batch.auth === undefined ? null : encodeAuth(batch.auth),
    trace: batch.trace === undefined ? null : encodeTrace(batch.trace),
    ownedUntilMs: nowMs + (batch.ownerLeaseMs ?? defaultOwnerLeaseMs),
  };
}

/**
 * Returns the identity of a push id in the order of its messages. Hashed, because ids have any length
 * and may contain what a database's text can't.
 */
export function orderKey(pushId: string): Uint8Array {
  return digestOf(JSON.stringify(pushId)).subarray(0, 16);
}

export function encodeRoute({ target, indexes, ordered }: StoredRoute): EncodedRoute {
  return { target, ranges: encodeIndexes(indexes), count: indexes.length, ordered };
}

export function encodeRoutes(routes: readonly EncodedRoute[]): string {
  return JSON.stringify(routes.map(({ target, ranges, ordered }) => [target, ranges, ordered ? 1 : 0]));
}

/** Encodes how a batch was authenticated: `["hmac-sha1","x-signature","ab…"]`, `["caller"]` or `["none"]`. */
export function encodeAuth(auth: BatchAuth): string {
  return JSON.stringify(auth.scheme === "hmac-sha1" ? [auth.scheme, auth.header, auth.value] : [auth.scheme]);
}

const authPattern = /^\["(hmac-sha1|caller|none)"(?:,"([^"\\]*)","([^"\\]*)")?\]$/;

/** Decodes what `encodeAuth` returns; null for other texts. */
export function decodeAuth(text: string | null): BatchAuth | null {
  const [, scheme, header, value] = authPattern.exec(text ?? "") ?? [];
  if (scheme === "caller" || scheme === "none") return { scheme };
  return header === undefined || value === undefined ? null : { scheme: "hmac-sha1", header, value };
}

function claimOf({ requestId }: NewBatch, expiresAtMs: number): StoredBatch["claim"] {
  if (requestId === null) return null;
  // JSON escapes unpaired surrogates, which would otherwise all hash alike.
  return { key: digestOf(`id ${JSON.stringify(requestId)}`), expiresAtMs };
}

function claimOfDigest(digest: Uint8Array, expiresAtMs: number): StoredBatch["claim"] {
  return { key: digestOf(`body ${Buffer.from(digest).toString("hex")}`), expiresAtMs };
}

/** Returns the SHA-256. */
export function digestOf(data: string | Uint8Array): Uint8Array {
  return hash("sha256", data, "buffer");
}

function toStoredRoute({ target, indexes, ordered = false }: Route, all: readonly number[]): StoredRoute {
  if (target === "") throw new RangeError("target of a route is empty");
  if (indexes === "all") return { target, indexes: all, ordered };
  const known = new Set(all);
  const odd = indexes.find((index, i) => !known.has(index) || (i > 0 && index <= indexes[i - 1]!));
  if (odd === undefined) return { target, indexes, ordered };
  throw new RangeError(`indexes of the route to "${target}": ${odd} is no accepted element or not ascending`);
}

function checkElements({ elements, body }: NewBatch): void {
  let lastIndex = -1;
  let lastEnd = 0;
  for (const element of elements) {
    const isApart = element.index > lastIndex && element.start >= lastEnd;
    if (!isApart || !isInside(element, body.length)) {
      throw new RangeError(`element ${element.index} overlaps, goes backwards or lies outside of the body`);
    }
    lastIndex = element.index;
    lastEnd = element.end;
  }
}

function isInside({ start, receiptStart, receiptEnd, end }: BatchElement, bodyBytes: number): boolean {
  return start <= receiptStart && receiptStart <= receiptEnd && receiptEnd <= end && end <= bodyBytes;
}

/** Parses the `routes` of a batch, which `encodeRoutes` has written. */
export function parseRoutes(text: string): readonly StoredRoute[] {
  const routes = JSON.parse(text) as readonly (readonly [string, string, 0 | 1])[];
  return routes.map(([target, indexes, ordered]) => ({
    target,
    indexes: decodeIndexes(indexes),
    ordered: ordered === 1,
  }));
}

/** Reports whether the elements of a target keep their order; false when the routes can't be read. */
export function isOrderedRoute(routes: string, target: string): boolean {
  try {
    return parseRoutes(routes).some((route) => route.target === target && route.ordered);
  } catch {
    return false;
  }
}
