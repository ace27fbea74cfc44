/**
 * More wrong letters are no typing error in a name of any length. The limit also bounds the work for each candidate.
 */
const maxWrong = 8;

/** Returns the candidate that a mistyped name most likely means, or undefined if none is close. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  // Up to a third of the letters may be wrong; beyond that a suggestion misleads.
  let best = Math.min(Math.max(2, Math.floor(name.length / 3)), maxWrong) + 1;
  let found: string | undefined;
  const wanted = name.toLowerCase();
  for (const candidate of candidates) {
    const distance = distanceOf(wanted, candidate.toLowerCase(), best);
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

/** Compares only what is between the beginning and the end that both have. */
function distanceOf(a: string, b: string, limit: number): number {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  const rest = Math.min(a.length, b.length) - start;
  while (end < rest && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return editDistance(a.slice(start, a.length - end), b.slice(start, b.length - end), limit);
}

/**
 * Returns the distance of two texts by optimal string alignment: insertions, deletions, substitutions and swaps of
 * neighbours. A distance of `limit` or more is not exact. Places further than this apart in the two texts are not
 * compared.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  const width = b.length + 1;
  let [beforeLast, last, row] = [new Uint8Array(width), new Uint8Array(width), new Uint8Array(width)];
  for (let j = 0; j < width; j++) last[j] = Math.min(j, limit);
  let leastBefore = 0;
  for (let i = 1; i <= a.length; i++) {
    row.fill(limit);
    row[0] = Math.min(i, limit);
    let least: number = row[0];
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
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last[b.length]!;
}
