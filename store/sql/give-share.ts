import type { Share, ShareAsked } from "../../base/async/rate-shares.ts";

/** What is remembered of a process that has a share. */
export interface ShareRow {
  readonly share_key: number;
  readonly per_second: number;
  readonly held: number;
  readonly wanted: number;
  /** By the clock of leases. */
  readonly until_ms: number;
}

export interface ShareGiven {
  readonly share: Omit<Share, "token">;
  readonly own: ShareRow;
  /** Of processes that are gone, and of clocks that were set back. */
  readonly changed: readonly ShareRow[];
  readonly gone: readonly number[];
}

/** Two processes may disagree by so much on what the time is. */
export const skewMs = 1_000;
/**
 * A share is counted for so long behind the end of its lease: a window of a
 * second, the time until what was sent last is counted, and the skew.
 */
export const graceMs = 1_600 + skewMs;
/** A lease that ends later than any could was left by a clock that was set back. */
const maxAheadMs = 10_000;
/** Who has more of what can't be split evenly, or the one request in a second, has it for so long. */
const turnMs = 60_000;

/**
 * Gives a process its share. It grows by what nobody holds, and becomes less
 * only when the process itself says so, since it alone knows what has arrived.
 * @param rows of all processes; `key` names the one that asks
 */
export function giveShare(
  rows: readonly ShareRow[],
  key: number,
  asked: Omit<ShareAsked, "token">,
  atMs: number,
): ShareGiven {
  const { leaseMs, wanted } = asked;
  const isGone = ({ until_ms }: ShareRow): boolean => until_ms + graceMs <= atMs;
  const kept = rows.filter((row) => !isGone(row));
  const known = kept.find(({ share_key }) => share_key === key);
  const others = kept
    .filter((row) => row !== known)
    .map((row) => (row.until_ms <= atMs + leaseMs + maxAheadMs ? row : { ...row, until_ms: atMs + leaseMs }));
  const held = Math.min(asked.held, known?.held ?? 0);
  const own = { share_key: key, per_second: asked.perSecond, held, wanted, until_ms: atMs + leaseMs };
  const taken = others.reduce((sum, other) => sum + other.held, 0);
  const wanting = [...others.filter((other) => other.until_ms > atMs), own].filter((row) => row.wanted > 0);
  const perSecond = Math.min(...wanting.map((row) => row.per_second), asked.perSecond);
  const fair = fairShares(wanting, perSecond, Math.floor(atMs / turnMs)).get(key) ?? 0;
  const grown = Math.max(held, Math.min(fair, perSecond - taken));
  const ends = others.filter((other) => other.held > 0 && other.until_ms <= atMs);
  const freeInMs =
    ends.length === 0 ? undefined : Math.min(...ends.map(({ until_ms }) => until_ms + graceMs - atMs));
  return {
    share: { held: grown, fair, total: taken + grown, freeInMs },
    own: { ...own, held: grown },
    changed: others.filter((other) => !rows.includes(other)),
    gone: rows.filter(isGone).map(({ share_key }) => share_key),
  };
}

/** The same for each, but what one doesn't want is the others'; what nobody wants is split evenly too. */
function fairShares(rows: readonly ShareRow[], perSecond: number, turn: number): ReadonlyMap<number, number> {
  const ranked = rows
    .toSorted((a, b) => a.share_key - b.share_key)
    .map((row, i) => ({ row, rank: (i + turn) % rows.length }))
    .sort((a, b) => a.row.wanted - b.row.wanted || a.rank - b.rank);
  const fair = new Map<number, number>();
  let left = perSecond;
  const split = (most: (row: ShareRow) => number): void => {
    for (const [i, { row }] of ranked.entries()) {
      const some = Math.min(most(row), Math.floor(left / (ranked.length - i)));
      fair.set(row.share_key, (fair.get(row.share_key) ?? 0) + some);
      left -= some;
    }
  };
  split(({ wanted }) => wanted);
  split(() => perSecond);
  return fair;
}
