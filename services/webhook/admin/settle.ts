import { backoffMs, fullJitter } from "../../../base/async/backoff.ts";
import type { Clock } from "../../../base/async/clock.ts";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import type { Settlement } from "../../../gen/engage/webhook/v1/lease_pb.ts";
import type { AttemptRecord, ElementOutcome, Inbox } from "../../../store/inbox/inbox.ts";
import { type RetryPolicy, toElementOutcome } from "../delivery/retry-policy.ts";
import { toOutcome } from "../targets/message-result.ts";
import type { TargetOutcome } from "../targets/target.ts";
import { decodeLeaseToken } from "./lease-token.ts";

export interface SettleOptions {
  readonly inbox: Pick<Inbox, "settle" | "clockMs">;
  readonly targets: ReadonlyMap<string, RetryPolicy | null>;
  /** 0 to below 1. */
  readonly random: () => number;
  readonly clock: Pick<Clock, "now">;
}

const maxSettlements = 500;

/**
 * Settles each lease in one commit.
 * @throws InvalidFieldsError before anything is settled
 */
export async function settleAll(
  settlements: readonly Settlement[],
  options: SettleOptions,
): Promise<{ readonly settledCount: number; readonly staleLeaseTokens: string[] }> {
  if (settlements.length > maxSettlements) {
    const problem = `has ${settlements.length} entries, at most ${maxSettlements} are valid`;
    refuseField("settlements", problem);
  }
  checkOnce(
    "settlements",
    settlements.map(({ leaseToken }) => leaseToken),
  );
  settlements.forEach(({ results }, at) => {
    checkOnce(
      `settlements[${at}].results`,
      results.map(({ index }) => index),
    );
  });
  const counts = await Promise.all(settlements.map((settlement) => settleOne(settlement, options)));
  return {
    settledCount: counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    staleLeaseTokens: settlements.flatMap(({ leaseToken }, at) =>
      counts[at] === undefined ? [leaseToken] : [],
    ),
  };
}

/** Settles a lease. Returns the number of settled messages; undefined for a stale token. */
async function settleOne(
  { leaseToken, results }: Settlement,
  { inbox, targets, random, clock }: SettleOptions,
): Promise<number | undefined> {
  const lease = decodeLeaseToken(leaseToken);
  const policy = targets.get(lease?.target ?? "") ?? undefined;
  if (lease === undefined || policy === undefined) return undefined;
  const times = { nowMs: inbox.clockMs(), delayMs: fullJitter(backoffMs(lease.attempt, policy), random()) };
  const given = results.flatMap((result) => {
    const outcome = toOutcome(result);
    return outcome === undefined ? [] : [{ index: result.index - 1, outcome }];
  });
  const outcomes = given.map(
    ({ index, outcome }): ElementOutcome => toElementOutcome(index, outcome, lease, policy, times),
  );
  const attempts = attemptsOf(given, clock.now());
  const settled = await inbox.settle(lease.token, outcomes, { attempts });
  return settled.kind === "stale" ? undefined : outcomes.length - settled.ignored.length;
}

/** Returns an attempt for each group of messages with the same outcome and reason. */
function attemptsOf(
  given: readonly { readonly index: number; readonly outcome: TargetOutcome }[],
  startedAtMs: number,
): readonly AttemptRecord[] {
  const unseen = { startedAtMs, durationMs: null, status: null, answer: null };
  const reasonOf = (outcome: TargetOutcome): string | null =>
    outcome.kind === "done" ? null : outcome.reason;
  const groups = Map.groupBy(given, ({ outcome }) => `${outcome.kind} ${reasonOf(outcome)}`);
  return Array.from(groups.values(), (group): AttemptRecord => {
    const { outcome } = group[0]!;
    const indexes = group.map(({ index }) => index).toSorted((a, b) => a - b);
    return { ...unseen, indexes, outcome: outcome.kind, reason: reasonOf(outcome) };
  });
}

function checkOnce(field: string, values: readonly (string | number)[]): void {
  const seen = new Set<string | number>();
  for (const value of values) {
    if (seen.has(value)) refuseField(field, `names ${JSON.stringify(value)} twice`);
    seen.add(value);
  }
}
