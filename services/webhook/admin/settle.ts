import { backoffMs, fullJitter } from "../../../base/async/backoff.ts";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import type { Settlement } from "../../../gen/engage/webhook/v1/lease_pb.ts";
import type { ElementOutcome, Inbox } from "../../../store/inbox/inbox.ts";
import { type RetryPolicy, toElementOutcome } from "../delivery/retry-policy.ts";
import { toOutcome } from "../targets/message-result.ts";
import { decodeLeaseToken } from "./lease-token.ts";

export interface SettleOptions {
  readonly inbox: Pick<Inbox, "settle" | "clockMs">;
  readonly targets: ReadonlyMap<string, RetryPolicy | null>;
  /** 0 to below 1. */
  readonly random: () => number;
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
  { inbox, targets, random }: SettleOptions,
): Promise<number | undefined> {
  const lease = decodeLeaseToken(leaseToken);
  const policy = targets.get(lease?.target ?? "") ?? undefined;
  if (lease === undefined || policy === undefined) return undefined;
  const times = { nowMs: inbox.clockMs(), delayMs: fullJitter(backoffMs(lease.attempt, policy), random()) };
  const outcomes = results.flatMap((result): readonly ElementOutcome[] => {
    const outcome = toOutcome(result);
    return outcome === undefined ? [] : [toElementOutcome(result.index - 1, outcome, lease, policy, times)];
  });
  const settled = await inbox.settle(lease.token, outcomes);
  return settled.kind === "stale" ? undefined : outcomes.length - settled.ignored.length;
}

function checkOnce(field: string, values: readonly (string | number)[]): void {
  const seen = new Set<string | number>();
  for (const value of values) {
    if (seen.has(value)) refuseField(field, `names ${JSON.stringify(value)} twice`);
    seen.add(value);
  }
}
