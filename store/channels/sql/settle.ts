import { first, type Operation, run, type Session } from "../../sql/query.ts";
import { toStorableText } from "../../sql/values.ts";
import type { BatchState, Outcome, Settled, Settlement } from "../batches.ts";
import type { RunState } from "../runs.ts";
import { type BatchRow, batchColumns } from "./batch-rows.ts";
import { finishIfSettled } from "./end-run.ts";
import { decodeBatchToken, sortTokens } from "./ids.ts";
import { Tallies } from "./tallies.ts";

interface HeldRow extends BatchRow {
  readonly run_state: RunState;
}

/** The changes of a batch by a settlement. */
interface Change {
  readonly state: BatchState;
  readonly dueAtMs: number;
  readonly attempts: number;
  readonly retries: number;
  readonly lastFailure: string;
  readonly failedItems: string | null;
}

type Effect =
  | Outcome
  /** The message was not sent and must not be sent any more. */
  | { readonly kind: "dropped" };

const cancelled = "cancelled";

/** @param atMs by the lease clock */
export function* settleBatches(
  session: Session,
  settlements: readonly Settlement[],
  atMs: number,
): Operation<readonly Settled[]> {
  const tallies = new Tallies(session);
  const ended = new Set<number>();
  const states = new Map<number, RunState>();
  const results = new Map<Settlement, Settled>();
  const byToken = Map.groupBy(settlements, ({ token }) => token);
  for (const { token } of sortTokens([...byToken.keys()])) {
    const [settlement, ...again] = byToken.get(token)!;
    for (const one of again) results.set(one, { kind: "stale" });
    const held = yield* findHeld(session, token, states);
    if (held === null) {
      results.set(settlement!, { kind: "stale" });
      continue;
    }
    const effect = effectOf(settlement!.outcome, held);
    const isAttempt = effect.kind !== "released" && effect.kind !== "dropped";
    // An outcome is an attempt, whether it was marked or not.
    const attempts = held.attempts - held.is_begun + (isAttempt ? 1 : 0);
    const change = changeOf(atMs, effect, { ...held, attempts });
    yield* write(held, change, isAttempt);
    if (effect.kind !== "released") count(tallies, held, change, effect);
    if (change.state !== "pending") ended.add(held.run_seq);
    results.set(settlement!, { kind: "settled", state: change.state });
  }
  yield* tallies.write();
  for (const runSeq of ended) yield* finishIfSettled(session, runSeq);
  return settlements.map((settlement) => results.get(settlement)!);
}

/** @param states the states of runs, read once in a commit */
function* findHeld(
  { dialect }: Session,
  token: string,
  states: Map<number, RunState>,
): Operation<HeldRow | null> {
  const lease = decodeBatchToken(token);
  if (lease === null) return null;
  const held = yield* first<BatchRow>(
    `SELECT ${batchColumns} FROM {batches} b
     WHERE b.run_seq = $1 AND b.number = $2 AND b.lease_key = $3 AND b.is_open = 1 ${dialect.forUpdate}`,
    lease.runSeq,
    lease.number,
    lease.key,
  );
  if (held === null) return null;
  if (!states.has(lease.runSeq)) {
    const found = yield* first<{ state: RunState }>("SELECT state FROM {runs} WHERE seq = $1", lease.runSeq);
    states.set(lease.runSeq, found!.state);
  }
  return { ...held, run_state: states.get(lease.runSeq)! };
}

/** Adapts an outcome to its run: batches of a stopped run are not sent again. */
function effectOf(outcome: Outcome, { run_state }: HeldRow): Effect {
  if (run_state === "preparing" || run_state === "sending") return outcome;
  if (outcome.kind === "retry") return { ...outcome, kind: "failed" };
  return outcome.kind === "released" ? { kind: "dropped" } : outcome;
}

function changeOf(atMs: number, effect: Effect, held: HeldRow): Change {
  const same = {
    dueAtMs: atMs,
    attempts: held.attempts,
    retries: held.retries,
    lastFailure: held.last_failure,
    failedItems: null,
  };
  switch (effect.kind) {
    case "succeeded": {
      const items = effect.failedItems.map((item) => ({ ...item, message: toStorableText(item.message) }));
      return { ...same, state: "succeeded", failedItems: items.length === 0 ? null : JSON.stringify(items) };
    }
    case "failed":
      return { ...same, state: "failed", lastFailure: failureText(effect) };
    case "retry":
      return {
        ...same,
        state: "pending",
        dueAtMs: atMs + effect.afterMs,
        retries: held.retries + 1,
        lastFailure: failureText(effect),
      };
    case "released":
      return { ...same, state: "pending" };
    case "dropped":
      return { ...same, state: "failed", lastFailure: cancelled };
  }
}

function* write(held: HeldRow, change: Change, isAttempt: boolean): Operation<void> {
  const isOpen = change.state === "pending";
  yield* run(
    `UPDATE {batches} SET state = $1, is_open = $2, due_at_ms = $3, attempts = $4, retries = $5,
       last_failure = $6, failed_items = $7, settled_attempts = $8, is_sent = $9, lease_key = 0, is_begun = 0
     WHERE run_seq = $10 AND number = $11`,
    change.state,
    isOpen ? 1 : 0,
    change.dueAtMs,
    change.attempts,
    change.retries,
    change.lastFailure,
    change.failedItems,
    isAttempt ? change.attempts : held.settled_attempts,
    isAttempt ? 1 : held.is_sent,
    held.run_seq,
    held.number,
  );
  if (!isOpen) {
    yield* run("DELETE FROM {payloads} WHERE run_seq = $1 AND number = $2", held.run_seq, held.number);
    yield* run("DELETE FROM {bodies} WHERE run_seq = $1 AND number = $2", held.run_seq, held.number);
  }
}

function count(
  tallies: Tallies,
  held: HeldRow,
  { state, attempts }: Change,
  effect: Exclude<Effect, { readonly kind: "released" }>,
): void {
  const runSeq = held.run_seq;
  tallies.addAttempts(held, attempts);
  if (state !== "pending") tallies.add(runSeq, "settled", 1);
  if (effect.kind === "dropped") {
    tallies.add(runSeq, "failed", held.size, cancelled);
    return;
  }
  if (state === "pending") return;
  for (const segment of effect.segments) tallies.addSegment(runSeq, segment);
  if (effect.kind === "succeeded") {
    const failed = effect.failedItems.length;
    tallies.add(runSeq, "succeeded", held.size - failed);
    tallies.add(runSeq, "failed", failed, effect.reason ?? "rejected");
    tallies.add(runSeq, "warnings", effect.warnings);
  } else tallies.add(runSeq, "failed", held.size, effect.reason);
}

function failureText({ reason, message }: { readonly reason: string; readonly message: string }): string {
  return toStorableText(message === "" ? reason : `${reason}: ${message}`);
}
