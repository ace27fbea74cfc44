import { toStorableText } from "../sql/values.ts";
import type { ElementOutcome } from "./work.ts";

/** The effect of outcomes on the elements of an item. All lists ascend by index. */
export interface Settlement {
  readonly delivered: readonly number[];
  readonly dead: readonly {
    readonly index: number;
    readonly reason: string;
    readonly isUnsent: boolean;
  }[];
  /** Elements with the same time and reason, together. */
  readonly retries: readonly RetryGroup[];
  readonly returned: readonly number[];
  /** Elements without an outcome, which stay leased. */
  readonly remaining: readonly number[];
  /** Indexes of outcomes which are not in the item, or not for the first time. */
  readonly ignored: readonly number[];
}

export interface RetryGroup {
  readonly notBeforeMs: number;
  readonly reason: string;
  readonly indexes: readonly number[];
}

/** Computes the effect of outcomes. The first outcome of an index counts. */
export function planSettlement(indexes: readonly number[], outcomes: readonly ElementOutcome[]): Settlement {
  const byIndex = new Map<number, ElementOutcome>();
  const ignored: number[] = [];
  const held = new Set(indexes);
  for (const outcome of outcomes) {
    if (held.has(outcome.index) && !byIndex.has(outcome.index)) byIndex.set(outcome.index, outcome);
    else ignored.push(outcome.index);
  }
  const named = indexes.flatMap((index) => byIndex.get(index) ?? []);
  return {
    delivered: named.flatMap((outcome) => (outcome.kind === "done" ? [outcome.index] : [])),
    dead: named.flatMap(({ index, ...rest }) =>
      rest.kind === "dead"
        ? [{ index, reason: toStorableText(rest.reason), isUnsent: rest.isUnsent ?? false }]
        : [],
    ),
    retries: groupRetries(named),
    returned: named.flatMap((outcome) => (outcome.kind === "returned" ? [outcome.index] : [])),
    remaining: indexes.filter((index) => !byIndex.has(index)),
    ignored,
  };
}

function groupRetries(outcomes: readonly ElementOutcome[]): RetryGroup[] {
  const groups = new Map<string, RetryGroup & { readonly indexes: number[] }>();
  for (const outcome of outcomes) {
    if (outcome.kind !== "retry") continue;
    const notBeforeMs = Math.max(0, Math.ceil(outcome.notBeforeMs));
    const reason = toStorableText(outcome.reason);
    const key = `${notBeforeMs} ${reason}`;
    const group = groups.get(key) ?? { notBeforeMs, reason, indexes: [] };
    group.indexes.push(outcome.index);
    groups.set(key, group);
  }
  return [...groups.values()];
}
