import { itemsPerYield, type YieldToEventLoop } from "../../../base/async/yield.ts";
import { sortNumbersYielding, sortYielding } from "./sort-yielding.ts";

/**
 * Orders groups by their rank in descending order, NaN last. Groups of equal rank are ordered by their labels only
 * among the first `limit` groups, since few of many groups are shown.
 */
export async function orderGroups(
  groups: readonly number[],
  ranks: Float64Array,
  options: {
    readonly limit: number;
    readonly compare: (a: number, b: number) => number;
    readonly yieldToEventLoop: YieldToEventLoop;
  },
): Promise<readonly number[]> {
  const { limit, compare, yieldToEventLoop } = options;
  const tied = new Map<number, number[]>();
  for (let i = 0; i < groups.length; i++) {
    const rank = ranks[i]!;
    const own = tied.get(rank);
    if (own === undefined) tied.set(rank, [groups[i]!]);
    else own.push(groups[i]!);
    if (i % itemsPerYield === 0) await yieldToEventLoop();
  }
  const ordered: number[] = [];
  const descending = Float64Array.from(tied.keys(), (rank) => -rank);
  await sortNumbersYielding(descending, yieldToEventLoop);
  for (const [i, rank] of descending.entries()) {
    const own = tied.get(-rank)!;
    const isToSort = own.length > 1 && ordered.length < limit;
    for (const group of isToSort ? await sortYielding(own, compare, yieldToEventLoop) : own)
      ordered.push(group);
    if (i % itemsPerYield === 0) await yieldToEventLoop();
  }
  return ordered;
}
