import type { ServiceImpl } from "@connectrpc/connect";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import { readBegunWork, readPage, writeBegunWork, writePageToken } from "../../../base/rpc/paging.ts";
import type { ReplayDeadLettersRequest } from "../../../gen/engage/webhook/v1/delivery_pb.ts";
import type { WebhookReceiver } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import type { DeadLetterFilter, Inbox } from "../../../store/inbox/inbox.ts";
import { readDeadLetterFilter } from "./filters.ts";
import { mapErrors } from "./refusals.ts";

export interface ReplayOptions {
  readonly inbox: Pick<Inbox, "replay">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Returns a unique text, for replays without a nonce. */
  readonly newNonce: () => string;
}

/** Creates the method that replays dead letters, all at once or in parts. */
export function createReplayMethod(
  options: ReplayOptions,
): Pick<ServiceImpl<typeof WebhookReceiver>, "replayDeadLetters"> {
  const { inbox, newNonce } = options;
  return {
    replayDeadLetters: (request, { signal }) =>
      mapErrors(async () => {
        const filter = readDeadLetterFilter(request.filter);
        if (Object.keys(filter).length === 0 && !request.all) {
          refuseField("filter", "is empty, set all to replay every dead letter");
        }
        const nonce = readNonce(request.nonce);
        if (request.pageSize !== 0 || request.pageToken !== "") {
          if (nonce !== undefined) refuseField("nonce", "is set with page_size, valid is one of them");
          return await replayPart(options, request, filter, signal);
        }
        const given = { nonce: nonce ?? newNonce(), dryRun: request.dryRun };
        const { count } = await inbox.replay(filter, given, { signal });
        return { count: BigInt(count) };
      }),
  };
}

async function replayPart(
  { inbox, newNonce, now }: ReplayOptions,
  request: ReplayDeadLettersRequest,
  filter: DeadLetterFilter,
  signal: AbortSignal,
) {
  const { dryRun } = request;
  const list = ["replay", filter, dryRun];
  const { limit, after } = readPage(request, list);
  const begun = readBegunWork(after, now());
  const { place } = begun;
  // What dies again during the replay is not taken a second time.
  const toMs = Math.min(filter.toMs ?? Number.POSITIVE_INFINITY, begun.startMs);
  const part = { nonce: newNonce(), dryRun, limit, ...(place !== undefined && { after: place }) };
  const { count, next = null } = await inbox.replay({ ...filter, toMs }, part, { signal });
  return { count: BigInt(count), nextPageToken: writePageToken(writeBegunWork(begun, next), list) };
}

const maxNonceLength = 200;

function readNonce(nonce: string): string | undefined {
  if (nonce.length > maxNonceLength) {
    refuseField("nonce", `has ${nonce.length} characters, at most ${maxNonceLength} are valid`);
  }
  if (nonce.includes("\0")) refuseField("nonce", "holds a NUL character");
  return nonce === "" ? undefined : nonce;
}
