import type { RateShareRequest, Share } from "../../base/async/rate-shares.ts";

/** The stored share of one process. */
export interface ShareRow {
  readonly share_key: number;
  readonly per_second: number;
  readonly held: number;
  readonly wanted: number;
  /** The end of the lease, by the lease clock. */
  readonly until_ms: number;
}

export interface GivenShare {
  readonly share: Omit<Share, "token">;
  readonly own: ShareRow;
  /** Rows of other processes to write: their leases ended too late, since a clock was set back. */
  readonly changed: readonly ShareRow[];
  /** Keys of the processes whose leases have ended and whose rows are to be deleted. */
  readonly expired: readonly number[];
}

/** The maximum difference between the clocks of two processes. */
export const skewMs = 1_000;
/**
 * How long a share still counts after the end of its lease: one window of a second, the time until the
 * last request has been counted, and the clock skew.
 */
export const graceMs = 1_600 + skewMs;
/** A lease which ends further ahead than this was written before a clock was set back. */
const maxAheadMs = 10_000;
/** A rate that cannot be split evenly, such as one request a second, moves to the next process after this time. */
const turnMs = 60_000;

/**
 * Computes the share of one process. A share grows by what is unassigned. It shrinks only when its
 * process asks for less, since only that process knows which of its requests have arrived.
 * @param rows the shares of all processes; `key` identifies the asking process
 */
export function giveShare(
  rows: readonly ShareRow[],
  key: number,
  request: Omit<RateShareRequest, "token">,
  atMs: number,
): GivenShare {
  const { leaseMs, wanted } = request;
  const isExpired = ({ until_ms }: ShareRow): boolean => until_ms + graceMs <= atMs;
  const valid = rows.filter((row) => !isExpired(row));
  const known = valid.find(({ share_key }) => share_key === key);
  const others = valid
    .filter((row) => row !== known)
    .map((row) => (row.until_ms <= atMs + leaseMs + maxAheadMs ? row : { ...row, until_ms: atMs + leaseMs }));
  const held = Math.min(request.held, known?.held ?? 0);
  const own = { share_key: key, per_second: request.perSecond, held, wanted, until_ms: atMs + leaseMs };
  const taken = others.reduce((sum, other) => sum + other.held, 0);
  const wanting = [...others.filter((other) => other.until_ms > atMs), own].filter((row) => row.wanted > 0);
  const perSecond = Math.min(...wanting.map((row) => row.per_second), request.perSecond);
  const fair = fairShares(wanting, perSecond, Math.floor(atMs / turnMs)).get(key) ?? 0;
  const grown = Math.max(held, Math.min(fair, perSecond - taken));
  const ends = others.filter((other) => other.held > 0 && other.until_ms <= atMs);
  const freeInMs =
    ends.length === 0 ? undefined : Math.min(...ends.map(({ until_ms }) => until_ms + graceMs - atMs));
  return {
    share: { held: grown, fair, total: taken + grown, freeInMs },
    own: { ...own, held: grown },
    changed: others.filter((other) => !rows.includes(other)),
    expired: rows.filter(isExpired).map(({ share_key }) => share_key),
  };
}

/** Splits the rate evenly: first up to what each process wants, then the remainder regardless of wants. */
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
