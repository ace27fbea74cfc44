/** The counts of one channel and target; see `TargetStats` of the contract. */
export interface Counts {
  readonly channel: string;
  readonly target: string;
  readonly accepted: bigint;
  readonly delivered: bigint;
  readonly dead: bigint;
  readonly pending: bigint;
}

export type Totals = Omit<Counts, "channel" | "target">;

/** Adds up all targets. */
export function totalsOf(targets: readonly Counts[]): Totals {
  return targets.reduce<Totals>(
    (sum, one) => ({
      accepted: sum.accepted + one.accepted,
      delivered: sum.delivered + one.delivered,
      dead: sum.dead + one.dead,
      pending: sum.pending + one.pending,
    }),
    { accepted: 0n, delivered: 0n, dead: 0n, pending: 0n },
  );
}

export type TargetState = "dead" | "waiting" | "good" | "idle";

/** Returns what matters most about a target. */
export function stateOfTarget({ dead, pending, accepted }: Counts): TargetState {
  if (dead > 0n) return "dead";
  if (pending > 0n) return "waiting";
  return accepted > 0n ? "good" : "idle";
}

/** A message that waits for longer needs attention: deliveries to a target that works take seconds. */
const longWaitMs = 60_000;

export interface Attention {
  readonly kind: "full" | "dead" | "waiting";
  /** The target of messages that were given up. */
  readonly counts?: Counts;
}

export interface InboxState {
  readonly writable: boolean;
  readonly oldestMs: number | undefined;
}

/** Lists what needs attention, the most urgent first. */
export function attentionTo(
  inbox: InboxState | undefined,
  targets: readonly Counts[],
  nowMs: number,
): readonly Attention[] {
  const isLate = inbox?.oldestMs !== undefined && nowMs - inbox.oldestMs > longWaitMs;
  return [
    ...(inbox !== undefined && !inbox.writable ? [{ kind: "full" } as const] : []),
    ...(isLate ? [{ kind: "waiting" } as const] : []),
    ...targets.filter(({ dead }) => dead > 0n).map((counts) => ({ kind: "dead", counts }) as const),
  ];
}
