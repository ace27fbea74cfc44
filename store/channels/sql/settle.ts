import { first, type Operation, run, type Session } from "../../sql/query.ts";
import { toStorableText } from "../../sql/values.ts";
import type { BatchState, Outcome, Settled, Settlement } from "../batches.ts";
import type { RunState } from "../runs.ts";
import { type BatchRow, batchColumns, lockHeld } from "./batch-rows.ts";
import { finishIfSettled } from "./end-run.ts";
import { decodeBatchToken, firstOf, groupLeases, type LeaseToken } from "./ids.ts";
import { heldRow, isPage, type PageRow, Pages } from "./pages.ts";
import { Tallies } from "./tallies.ts";

/** The changes of a batch by a settlement. */
interface Change {
  readonly state: BatchState;
  readonly dueAtMs: number;
  readonly attempts: number;
  readonly settledAttempts: number;
  readonly retries: number;
  readonly isSent: number;
  readonly lastFailure: string;
  readonly failedItems: string | null;
}

/** A settlement and the lease that its token stands for. */
interface Given {
  readonly settlement: Settlement;
  readonly lease: LeaseToken;
}

type Effect =
  | Outcome
  /** The message was not sent and must not be sent any more. */
  | { readonly kind: "dropped" };

const cancelled = "cancelled";

/** A settlement of a held batch. */
interface Ended extends Given {
  readonly effect: Effect;
  /** The row of the batch, or of its page. */
  readonly row: BatchRow;
}

/**
 * Settles attempts. Batches of one lease are read together, and those that change in the same way are written together.
 * A batch of a page that is not simply sent gets a row of its own.
 * @param atMs by the lease clock
 */
export function* settleBatches(
  session: Session,
  settlements: readonly Settlement[],
  atMs: number,
): Operation<readonly Settled[]> {
  const tallies = new Tallies(session);
  const changes = new Changes();
  const pages = new Pages();
  const states = new Map<number, RunState>();
  const results = new Map<Settlement, Settled>();
  for (const group of groupLeases(decodeAll(settlements))) {
    const rows = yield* lockHeld<BatchRow>(session, batchColumns, group);
    const { runSeq } = group[0]!.lease;
    if (rows.size > 0 && !states.has(runSeq)) states.set(runSeq, yield* stateOf(runSeq));
    const ended = group.flatMap((given): Ended[] => {
      const row = heldRow(rows, pages, given.lease);
      if (row === undefined) return [];
      return [{ ...given, row, effect: effectOf(given.settlement.outcome, states.get(runSeq)!) }];
    });
    const sent = Map.groupBy(ended, ({ row, effect }) => isPage(row) && isSimplySent(effect));
    succeedInPages(sent.get(true) ?? [], pages, tallies, results);
    const single = yield* takeOut(sent.get(false) ?? [], pages, atMs);
    for (const { settlement, effect, row } of single) {
      const change = changeOf(atMs, effect, row);
      changes.add(row, change);
      if (effect.kind !== "released") count(tallies, row, change, effect);
      results.set(settlement, { kind: "settled", state: change.state });
    }
  }
  yield* pages.write();
  yield* changes.write(session);
  yield* tallies.write();
  for (const runSeq of new Set([...changes.ended, ...pages.ended])) yield* finishIfSettled(session, runSeq);
  return settlements.map((settlement) => results.get(settlement) ?? stale);
}

type Succeeded = Extract<Outcome, { readonly kind: "succeeded" }>;

const succeeded: Settled = { kind: "settled", state: "succeeded" };
const stale: Settled = { kind: "stale" };

/** Whether nothing but the success is stored of a batch. */
function isSimplySent(effect: Effect): effect is Succeeded {
  return effect.kind === "succeeded" && effect.failedItems.length === 0;
}

/** Settles batches of pages. Those with the same outcome are counted together. */
function succeedInPages(
  ended: readonly Ended[],
  pages: Pages,
  tallies: Tallies,
  results: Map<Settlement, Settled>,
): void {
  for (const { row, lease, settlement } of ended) {
    const page = row as PageRow;
    pages.mark(page, pages.indexOf(page, lease.number), "s");
    results.set(settlement, succeeded);
  }
  for (const [effect, own] of Map.groupBy(ended, ({ effect }) => effect as Succeeded)) {
    const runSeq = own[0]!.lease.runSeq;
    const messages = own.reduce((sum, { row }) => sum + row.size, 0);
    tallies.add(runSeq, "settled", own.length);
    tallies.add(runSeq, "sent", messages);
    tallies.add(runSeq, "succeeded", messages);
    tallies.add(runSeq, "warnings", own.length * effect.warnings);
    for (const segment of effect.segments) tallies.addSegment(runSeq, segment, own.length);
  }
}

/** Gives batches of pages rows of their own. */
function* takeOut(ended: readonly Ended[], pages: Pages, dueAtMs: number): Operation<readonly Ended[]> {
  const single: Ended[] = [];
  for (const [row, own] of Map.groupBy(ended, (one) => one.row)) {
    if (!isPage(row)) {
      single.push(...own);
      continue;
    }
    const byIndex = new Map(own.map((one) => [one.lease.number - firstOf(row.number), one]));
    const needsPayload = (index: number): boolean =>
      ["retry", "released"].includes(byIndex.get(index)!.effect.kind);
    const rows = yield* pages.takeOut(row, [...byIndex.keys()], { dueAtMs, isHeld: true, needsPayload });
    single.push(...own.map((one, i) => ({ ...one, row: rows[i]! })));
  }
  return single;
}

/** Decodes tokens. Repeated and invalid ones are left out. */
function decodeAll(settlements: readonly Settlement[]): readonly Given[] {
  const given = new Map<string, Given>();
  for (const settlement of settlements) {
    const lease = given.has(settlement.token) ? null : decodeBatchToken(settlement.token);
    if (lease !== null) given.set(settlement.token, { settlement, lease });
  }
  return [...given.values()];
}

function* stateOf(runSeq: number): Operation<RunState> {
  const found = yield* first<{ state: RunState }>("SELECT state FROM {runs} WHERE seq = $1", runSeq);
  return found!.state;
}

/** Adapts an outcome to its run: batches of a stopped run are not sent again. */
function effectOf(outcome: Outcome, runState: RunState): Effect {
  if (runState === "preparing" || runState === "sending") return outcome;
  if (outcome.kind === "retry") return { ...outcome, kind: "failed" };
  return outcome.kind === "released" ? { kind: "dropped" } : outcome;
}

function changeOf(atMs: number, effect: Effect, held: BatchRow): Change {
  const isAttempt = effect.kind !== "released" && effect.kind !== "dropped";
  // An outcome is an attempt, whether it was marked or not.
  const attempts = held.attempts - held.is_begun + (isAttempt ? 1 : 0);
  const same = {
    dueAtMs: atMs,
    attempts,
    settledAttempts: isAttempt ? attempts : held.settled_attempts,
    retries: held.retries,
    isSent: isAttempt ? 1 : held.is_sent,
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

/** The changes of one commit. Most attempts succeed at once, and so most batches change in the same way. */
class Changes {
  readonly #equal = new Map<
    string,
    { readonly runSeq: number; readonly change: Change; numbers: number[] }
  >();
  /** The numbers of batches that have ended, by run. */
  readonly #ended = new Map<number, number[]>();

  /** The runs with batches that have ended. */
  get ended(): Iterable<number> {
    return this.#ended.keys();
  }

  add({ run_seq: runSeq, number }: BatchRow, change: Change): void {
    const name = JSON.stringify([runSeq, change]);
    const equal = this.#equal.get(name);
    if (equal === undefined) this.#equal.set(name, { runSeq, change, numbers: [number] });
    else equal.numbers.push(number);
    if (change.state === "pending") return;
    const ended = this.#ended.get(runSeq);
    if (ended === undefined) this.#ended.set(runSeq, [number]);
    else ended.push(number);
  }

  *write({ dialect }: Session): Operation<void> {
    for (const { runSeq, change, numbers } of this.#equal.values()) {
      yield* run(
        `UPDATE {batches} SET state = $1, is_open = $2, due_at_ms = $3, attempts = $4, retries = $5,
           last_failure = $6, failed_items = $7, settled_attempts = $8, is_sent = $9, lease_key = 0, is_begun = 0
         WHERE run_seq = $10 AND number IN ${dialect.integersOf("$11")}`,
        change.state,
        change.state === "pending" ? 1 : 0,
        change.dueAtMs,
        change.attempts,
        change.retries,
        change.lastFailure,
        change.failedItems,
        change.settledAttempts,
        change.isSent,
        runSeq,
        JSON.stringify(numbers),
      );
    }
    for (const [runSeq, numbers] of this.#ended) {
      for (const table of ["{payloads}", "{bodies}"]) {
        yield* run(
          `DELETE FROM ${table} WHERE run_seq = $1 AND number IN ${dialect.integersOf("$2")}`,
          runSeq,
          JSON.stringify(numbers),
        );
      }
    }
  }
}

function count(
  tallies: Tallies,
  held: BatchRow,
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
