import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { DeadLetterFilterSchema } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import type { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import type { Replay } from "../../replay/replay.ts";

const pageSize = 1_000;

type Calls = Pick<Client<typeof WebhookReceiver>, "replayDeadLetters">;

/** The messages that were given up and that a filter selects. @param isAll whether an empty filter is meant */
export function messagesOf(
  calls: Calls,
  filter: MessageInitShape<typeof DeadLetterFilterSchema>,
  isAll = false,
): Replay {
  return {
    count: async (_pageToken, signal) => {
      const { count } = await calls.replayDeadLetters({ filter, all: isAll, dryRun: true }, { signal });
      return { count, nextPageToken: "" };
    },
    replay: async (pageToken) => {
      const part = await calls.replayDeadLetters({ filter, all: isAll, pageSize, pageToken });
      const { count: replayed, nextPageToken } = part;
      return { replayed, refused: 0n, incomplete: 0n, firstRefusal: "", nextPageToken };
    },
  };
}
