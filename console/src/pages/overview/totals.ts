import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { DeadLetterKindSummary } from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { type KindName, nameOfKind } from "../dead-letters/kinds.ts";

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

/** Dead letters of one kind. */
export interface Letters {
  readonly kind: Exclude<KindName, "webhook">;
  readonly count: bigint;
  /** Whether there may be more than are counted. */
  readonly isAtLeast: boolean;
  /** When the newest became one, in ms since 1970. */
  readonly newestMs: number;
}

/** Returns the dead letters that are no messages, of which the counts of targets tell. */
export function lettersOf(kinds: readonly DeadLetterKindSummary[]): readonly Letters[] {
  return kinds.flatMap(({ kind, count, complete, newestTime }) => {
    const name = nameOfKind(kind);
    if (newestTime === undefined || name === "webhook") return [];
    return [{ kind: name, count, isAtLeast: !complete, newestMs: timestampMs(newestTime) }];
  });
}

/** Older dead letters and refusals are known. */
const newMs = 86_400_000;

/** What waits for longer needs attention: a delivery to a target that works and a load take seconds. */
const longWaitMs = 60_000;

export type Attention =
  | { readonly kind: "full" }
  | { readonly kind: "breaker"; readonly target: string; readonly sinceMs: number }
  | { readonly kind: "waiting"; readonly sinceMs: number }
  | { readonly kind: "lag"; readonly sinceMs: number }
  /** The target of messages that were given up. */
  | { readonly kind: "dead"; readonly counts: Counts }
  | { readonly kind: "letters"; readonly letters: Letters }
  /** Requests to webhooks that were refused. */
  | { readonly kind: "refused"; readonly count: number; readonly newestMs: number };

/** What is watched, with times in ms since 1970. */
export interface Watched {
  /** Undefined while the state of the inbox is unknown. */
  readonly inbox: { readonly writable: boolean; readonly oldestMs: number | undefined } | undefined;
  readonly targets: readonly Counts[];
  /** The targets that are down. */
  readonly down: readonly { readonly target: string; readonly sinceMs: number }[];
  /** When the first record came in that cannot be queried yet. */
  readonly unloadedMs: number | undefined;
  readonly letters: readonly Letters[];
  /** When requests were refused, the newest first. */
  readonly refusedMs: readonly number[];
  readonly nowMs: number;
}

/** Lists what needs attention, the most urgent first. */
export function attentionTo(watched: Watched): readonly Attention[] {
  const { inbox, targets, down, unloadedMs, letters, refusedMs, nowMs } = watched;
  const isLong = (sinceMs: number | undefined): sinceMs is number =>
    sinceMs !== undefined && nowMs - sinceMs > longWaitMs;
  const found: Attention[] = [];
  if (inbox !== undefined && !inbox.writable) found.push({ kind: "full" });
  for (const one of down) found.push({ kind: "breaker", target: one.target, sinceMs: one.sinceMs });
  if (isLong(inbox?.oldestMs)) found.push({ kind: "waiting", sinceMs: inbox.oldestMs });
  if (isLong(unloadedMs)) found.push({ kind: "lag", sinceMs: unloadedMs });
  for (const counts of targets) if (counts.dead > 0n) found.push({ kind: "dead", counts });
  for (const one of letters) if (nowMs - one.newestMs < newMs) found.push({ kind: "letters", letters: one });
  const refused = refusedMs.filter((ms) => nowMs - ms < newMs);
  if (refused.length > 0) found.push({ kind: "refused", count: refused.length, newestMs: refused[0]! });
  return found;
}
