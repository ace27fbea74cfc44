/** More wrong letters are no typing error in a name of any length. The limit also bounds the work for each candidate. */
const maxWrong = 8;

/** Returns the candidate that a mistyped name most likely means, or undefined if none is close. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  // Up to a third of the letters may be wrong; beyond that a suggestion misleads.
  let best = Math.min(Math.max(2, Math.floor(name.length / 3)), maxWrong) + 1;
  let found: string | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), best);
    if (distance < best && distance < candidate.length) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

/** Returns a list of names, such as `"a", "b" or "c"`. */
export function listNames(names: readonly unknown[]): string {
  const quoted = names.map((name) => JSON.stringify(name));
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}

/**
 * Returns the distance of two texts by optimal string alignment: insertions, deletions, substitutions and swaps of neighbours.
 * A distance of `limit` or more is not exact. Places further than this apart in the two texts are not compared.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let leastBefore = 0;
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(limit);
    row[0] = i;
    let least = i;
    const end = Math.min(b.length, i + limit);
    for (let j = Math.max(1, i - limit); j <= end; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row[j] = cost;
      if (cost < least) least = cost;
    }
    // Later rows, which continue these two, are not smaller.
    if (least >= limit && leastBefore >= limit) return limit;
    leastBefore = least;
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
