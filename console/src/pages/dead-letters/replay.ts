import type { Client } from "@connectrpc/connect";
import type { DeadLetters } from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";
import type { Filter } from "./filters.ts";

type Calls = Pick<Client<typeof DeadLetters>, "countDeadLetters" | "replayDeadLetters">;

/** What a replay has done so far. */
export interface Replayed {
  readonly replayed: bigint;
  readonly refused: bigint;
  readonly incomplete: bigint;
  readonly firstRefusal: string;
}

/** Counts call by call, each of which counts a part; reports the sum so far. */
export async function countAll(
  calls: Calls,
  filter: Filter,
  signal: AbortSignal,
  counted: (count: bigint) => void = () => {},
): Promise<bigint> {
  let count = 0n;
  let pageToken = "";
  do {
    const part = await calls.countDeadLetters({ filter, pageToken }, { signal });
    count += part.count;
    counted(count);
    pageToken = part.nextPageToken;
  } while (pageToken !== "");
  return count;
}

/** Replays call by call until the end, or until the signal is aborted; what a call has begun it ends. */
export async function replayAll(
  calls: Calls,
  { filter, isAll }: { readonly filter: Filter; readonly isAll: boolean },
  signal: AbortSignal,
  done: (sum: Replayed) => void,
): Promise<void> {
  let sum: Replayed = { replayed: 0n, refused: 0n, incomplete: 0n, firstRefusal: "" };
  let pageToken = "";
  do {
    const part = await calls.replayDeadLetters({ filter, all: isAll, pageToken });
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
