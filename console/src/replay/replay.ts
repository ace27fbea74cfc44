/** What a replay has done so far. */
export interface Replayed {
  readonly replayed: bigint;
  readonly refused: bigint;
  readonly incomplete: bigint;
  readonly firstRefusal: string;
}

/** The token of the next part; empty after the last. */
interface Part {
  readonly nextPageToken: string;
}

/** Dead letters that a filter selects, in parts, so that other calls are not delayed. */
export interface Replay {
  count(pageToken: string, signal: AbortSignal): Promise<Part & { readonly count: bigint }>;
  replay(pageToken: string): Promise<Part & Replayed>;
}

/** Counts call by call, each of which counts a part; reports the sum so far. */
export async function countAll(
  selected: Replay,
  signal: AbortSignal,
  counted: (count: bigint) => void = () => {},
): Promise<bigint> {
  let count = 0n;
  let pageToken = "";
  do {
    const part = await selected.count(pageToken, signal);
    count += part.count;
    counted(count);
    pageToken = part.nextPageToken;
  } while (pageToken !== "");
  return count;
}

/** Replays call by call until the end, or until the signal is aborted; what a call has begun it ends. */
export async function replayAll(
  selected: Replay,
  signal: AbortSignal,
  done: (sum: Replayed) => void,
): Promise<void> {
  let sum: Replayed = { replayed: 0n, refused: 0n, incomplete: 0n, firstRefusal: "" };
  let pageToken = "";
  do {
    const part = await selected.replay(pageToken);
    sum = {
      replayed: sum.replayed + part.replayed,
      refused: sum.refused + part.refused,
      incomplete: sum.incomplete + part.incomplete,
      firstRefusal: sum.firstRefusal || part.firstRefusal,
    };
    done(sum);
    pageToken = part.nextPageToken;
  } while (pageToken !== "" && !signal.aborted);
}
