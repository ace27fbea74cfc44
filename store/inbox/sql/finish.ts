import { first, type Operation, run, type Session } from "../../sql/query.ts";
import type { Completion, FinishResult, RouteResult } from "../batch.ts";
import { checksum } from "../checksum.ts";
import { decodeElements } from "../element-list.ts";
import type { BatchKey } from "../ids.ts";
import { encodeRoute, encodeRoutes, parseRoutes, type StoredRoute } from "../stored-batch.ts";
import { addCounts } from "./counts.ts";
import { insertDeadLetters } from "./dead-letters.ts";
import { enqueue } from "./order.ts";
import { bodyBytes } from "./rows/stored-bodies.ts";
import { addWork, finishIfDone, fresh } from "./rows/work-rows.ts";

interface BegunRow {
  readonly channel: string;
  readonly claim_key: Uint8Array | null;
  readonly in_flight_until_ms: number | null;
  readonly routes: string;
}

export interface Finished {
  readonly result: FinishResult;
  /** Targets with new work. */
  readonly wake: readonly string[];
}

const stale: Finished = { result: { kind: "stale" }, wake: [] };

export function* complete(
  session: Session,
  key: BatchKey,
  { reply, results }: Completion,
  wallMs: number,
): Operation<Finished> {
  const begun = yield* findBegun(session, key);
  if (begun === null) return stale;
  const routes = parseRoutes(begun.routes).map((route) => ({ route, result: resultFor(route, results) }));
  checkTargets(results ?? [], routes);
  if (begun.claim_key !== null) {
    yield* saveReply(begun.channel, begun.claim_key, key.seq, reply);
  }
  const stored = routes.map(({ route, result }) => ({ ...route, indexes: indexesOf(result) }));
  yield* run(
    "UPDATE {batches} SET in_flight_until_ms = NULL, routes = $1, reply = $2 WHERE seq = $3",
    encodeRoutes(stored.map(encodeRoute)),
    reply,
    key.seq,
  );
  for (const { route, result } of routes) {
    yield* addRoute(session, { key, channel: begun.channel, wallMs }, route, result);
  }
  yield* finishIfDone(session, key.seq);
  const waiting = routes.filter(({ result }) => result.pending.length > 0);
  return { result: { kind: "finished" }, wake: waiting.map(({ route }) => route.target) };
}

export function* release(session: Session, key: BatchKey): Operation<Finished> {
  const begun = yield* findBegun(session, key);
  if (begun === null) return stale;
  yield* run(
    "DELETE FROM {claims} WHERE channel = $1 AND claim_key = $2 AND batch_seq = $3",
    begun.channel,
    begun.claim_key,
    key.seq,
  );
  yield* run("DELETE FROM {bodies} WHERE batch_seq = $1", key.seq);
  yield* run("DELETE FROM {batches} WHERE seq = $1", key.seq);
  return { result: { kind: "finished" }, wake: [] };
}

function* saveReply(channel: string, key: Uint8Array, seq: number, reply: Uint8Array): Operation<void> {
  const claim = yield* first<{ sha256: Uint8Array }>(
    "SELECT sha256 FROM {claims} WHERE channel = $1 AND claim_key = $2 AND batch_seq = $3",
    channel,
    key,
    seq,
  );
  if (claim === null) return;
  yield* run(
    `UPDATE {claims} SET reply = $1, reply_crc = $2
     WHERE channel = $3 AND claim_key = $4 AND batch_seq = $5`,
    reply,
    checksum(claim.sha256, reply),
    channel,
    key,
    seq,
  );
}

/** Returns the reply of a begun batch, or whether it is still in flight. */
export function* replyOf(
  { nowMs }: Session,
  { seq, acceptedAtMs }: BatchKey,
): Operation<{ readonly reply: Uint8Array | null; readonly isInFlight: boolean }> {
  const batch = yield* first<BegunRow>(
    `SELECT channel, claim_key, in_flight_until_ms, routes FROM {batches}
     WHERE seq = $1 AND accepted_at_ms = $2`,
    seq,
    acceptedAtMs,
  );
  const until = batch?.in_flight_until_ms ?? null;
  if (batch?.claim_key == null || until !== null) return { reply: null, isInFlight: (until ?? 0) > nowMs };
  const claim = yield* first<{ reply: Uint8Array | null }>(
    "SELECT reply FROM {claims} WHERE channel = $1 AND claim_key = $2 AND batch_seq = $3",
    batch.channel,
    batch.claim_key,
    seq,
  );
  return { reply: claim?.reply ?? null, isInFlight: false };
}

function* findBegun({ dialect }: Session, key: BatchKey): Operation<BegunRow | null> {
  return yield* first<BegunRow>(
    `SELECT channel, claim_key, in_flight_until_ms, routes FROM {batches}
     WHERE seq = $1 AND accepted_at_ms = $2 AND in_flight_until_ms IS NOT NULL ${dialect.forUpdate}`,
    key.seq,
    key.acceptedAtMs,
  );
}

function resultFor(route: StoredRoute, results: readonly RouteResult[] | undefined): RouteResult {
  const given = results?.find(({ target }) => target === route.target);
  if (given === undefined) return { target: route.target, delivered: [], pending: route.indexes, dead: [] };
  const indexes = indexesOf(given);
  const known = new Set(route.indexes);
  if (new Set(indexes).size < indexes.length || indexes.some((index) => !known.has(index))) {
    throw new RangeError(
      `results for "${route.target}" name an element twice or one that isn't routed to it`,
    );
  }
  return { ...given, pending: given.pending.toSorted((a, b) => a - b) };
}

function checkTargets(results: readonly RouteResult[], routes: readonly { route: StoredRoute }[]): void {
  const known = new Set(routes.map(({ route }) => route.target));
  const unknown = results.find(({ target }) => !known.has(target));
  if (unknown === undefined) return;
  throw new RangeError(
    `results for "${unknown.target}", but the batch has routes to ${[...known].map((name) => `"${name}"`).join(", ")}`,
  );
}

function indexesOf({ delivered, pending, dead }: RouteResult): number[] {
  return [...delivered, ...pending, ...dead.map(({ index }) => index)].sort((a, b) => a - b);
}

interface BatchContext {
  readonly key: BatchKey;
  readonly channel: string;
  readonly wallMs: number;
}

function* addRoute(
  session: Session,
  { key: { seq, acceptedAtMs }, channel, wallMs }: BatchContext,
  { target, ordered }: StoredRoute,
  { delivered, pending, dead }: RouteResult,
): Operation<void> {
  const stored = yield* first<{ elements: Uint8Array; body_bytes: number }>(
    `SELECT elements, ${bodyBytes()} AS body_bytes FROM {bodies} WHERE batch_seq = $1`,
    seq,
  );
  const elements = decodeElements(stored!.elements);
  if (ordered) {
    const waiting = new Set(pending);
    yield* enqueue(
      seq,
      target,
      elements.filter(({ index }) => waiting.has(index)),
    );
  }
  yield* addWork({
    ...fresh,
    batch_seq: seq,
    channel,
    target,
    indexes: pending,
    is_ordered: ordered ? 1 : 0,
    due_at_ms: session.nowMs,
    body_bytes: stored!.body_bytes,
  });
  const item = { batchSeq: seq, channel, target, acceptedAtMs, attempts: 1, diedAtMs: wallMs };
  yield* insertDeadLetters(session, item, elements, dead);
  yield* addCounts(session, channel, target, {
    accepted: delivered.length + pending.length + dead.length,
    delivered: delivered.length,
    dead: dead.length,
    pending: pending.length,
  });
}
