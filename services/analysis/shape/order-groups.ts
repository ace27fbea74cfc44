import { type Breathe, breathEvery } from "./turns.ts";

/**
 * Groups by their rank, the largest first and NaN last, ties by text. Only the
 * first `limit` are put in order, since with many groups few are asked for.
 */
export async function orderGroups(
  groups: readonly number[],
  ranks: Float64Array,
  options: { readonly limit: number; readonly textOf: (group: number) => string; readonly breathe: Breathe },
): Promise<readonly number[]> {
  const { limit, textOf, breathe } = options;
  const tied = new Map<number, number[]>();
  for (let i = 0; i < groups.length; i++) {
    const rank = ranks[i]!;
    const own = tied.get(rank);
    if (own === undefined) tied.set(rank, [groups[i]!]);
    else own.push(groups[i]!);
    if (i % breathEvery === 0) await breathe();
  }
  const ordered: number[] = [];
  // Sorts NaN to the end, as does a typed array.
  const descending = Float64Array.from(tied.keys(), (rank) => -rank).sort();
  for (const [i, rank] of descending.entries()) {
    const own = tied.get(-rank)!;
    if (own.length > 1 && ordered.length < limit) sortByText(own, textOf);
    for (const group of own) ordered.push(group);
    if (i % breathEvery === 0) await breathe();
  }
  return ordered;
}

/** UTF-16 order: the text of each group is made once. */
function sortByText(groups: number[], textOf: (group: number) => string): void {
  const texts = new Map(groups.map((group) => [group, textOf(group)]));
  groups.sort((a, b) => (texts.get(a)! < texts.get(b)! ? -1 : 1));
}
