import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import { readPage, writePageToken } from "../../../base/rpc/paging.ts";
import { quoteText } from "../../../base/text/quote.ts";
import {
  type BatchSignature,
  BatchSignatureSchema,
  SignatureScheme,
} from "../../../gen/engage/webhook/v1/received_batch_pb.ts";
import type { WebhookReceiver } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import type { BatchDetail, Inbox, ReceivedBatch } from "../../../store/inbox/inbox.ts";
import type { Channel } from "../channels.ts";
import type { Explain } from "../explain/explainer.ts";
import { timestampOf } from "../mapping/timestamp.ts";
import { verifySignature } from "../receive/signature.ts";
import { toTraced } from "./delivery-message.ts";
import { readBatchFilter } from "./filters.ts";
import { mapErrors } from "./refusals.ts";
import { toTargetStats } from "./stats.ts";

export interface BatchOptions {
  readonly inbox: Pick<Inbox, "batches" | "batch">;
  readonly channels: ReadonlyMap<string, Channel>;
  /** Explains signatures of stored batches. Its limit is not that of callers without a signature. */
  readonly explain: Explain;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type BatchMethod = "listBatches" | "getBatch";

/** Creates the methods that show batches as they were received. */
export function createBatchMethods(
  options: BatchOptions,
): Pick<ServiceImpl<typeof WebhookReceiver>, BatchMethod> {
  const { inbox } = options;
  return {
    listBatches: (request, { signal }) =>
      mapErrors(async () => {
        const filter = readBatchFilter(request.filter);
        const list = ["batches", filter];
        const { items, next } = await inbox.batches(filter, readPage(request, list), { signal });
        return { batches: items.map(toReceivedBatch), nextPageToken: writePageToken(next, list) };
      }),

    getBatch: ({ batchId }, { signal }) =>
      mapErrors(async () => {
        if (batchId === "") refuseField("batch_id", "is required");
        const found = await inbox.batch(batchId, { signal });
        if (found === null) {
          const message = `batch_id ${quoteText(batchId)} is unknown, in flight or no longer kept, ListBatches lists them`;
          throw new ConnectError(message, Code.NotFound);
        }
        return {
          batch: toReceivedBatch(found),
          body: found.body ?? new Uint8Array(),
          damage: found.damage ?? "",
          ...(found.reply !== null && { reply: found.reply }),
          signature: checkSignature(found, options),
          deliveries: found.deliveries.map(toTraced),
        };
      }),
  };
}

function toReceivedBatch(batch: ReceivedBatch) {
  return {
    batchId: batch.batchId,
    channel: batch.channel,
    requestId: batch.requestId ?? "",
    acceptedTime: timestampOf(batch.acceptedAtMs),
    bodyBytes: BigInt(batch.bodyBytes),
    targets: batch.targets.map(toTargetStats),
  };
}

const schemes = {
  "hmac-sha1": SignatureScheme.HMAC_SHA1,
  caller: SignatureScheme.CALLER,
  none: SignatureScheme.NONE,
} as const;

/** Compares the signature of a stored batch with the secrets of its channel. */
function checkSignature({ auth, channel, body }: BatchDetail, options: BatchOptions): BatchSignature {
  if (auth === null) return create(BatchSignatureSchema);
  const scheme = schemes[auth.scheme];
  if (auth.scheme !== "hmac-sha1") return create(BatchSignatureSchema, { scheme });
  const signature = create(BatchSignatureSchema, { scheme, header: auth.header, value: auth.value });
  if (body === null) return signature;
  const nowMs = options.now();
  const known = options.channels.get(channel);
  const given = [auth.value];
  signature.matches = verifySignature(body, given, known?.secrets ?? [], nowMs).kind === "match";
  if (!signature.matches) {
    signature.cause =
      known === undefined
        ? `channel ${quoteText(channel)} is not configured any more`
        : (options.explain({ channel, body, given, nowMs }) ?? "not explained: too many were asked for");
  }
  return signature;
}
