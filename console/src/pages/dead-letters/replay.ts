import type { Client } from "@connectrpc/connect";
import type { DeadLetters } from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";
import type { Replay } from "../../replay/replay.ts";
import type { Filter } from "./filters.ts";

type Calls = Pick<Client<typeof DeadLetters>, "countDeadLetters" | "replayDeadLetters">;

/** The dead letters of a kind that a filter selects. @param isAll whether all of the kind are meant */
export function lettersOf(calls: Calls, filter: Filter, isAll = false): Replay {
  return {
    count: (pageToken, signal) => calls.countDeadLetters({ filter, pageToken }, { signal }),
    replay: (pageToken) => calls.replayDeadLetters({ filter, all: isAll, pageToken }),
  };
}
