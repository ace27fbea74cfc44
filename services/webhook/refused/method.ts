import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import { foreignPageToken, readPage, writePageToken } from "../../../base/rpc/paging.ts";
import {
  RefusalReason as Reason,
  type RefusedRequestSchema,
} from "../../../gen/engage/webhook/v1/refused_request_pb.ts";
import type { WebhookReceiver } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { mapErrors } from "../admin/refusals.ts";
import { timestampOf } from "../mapping/timestamp.ts";
import type { RefusalKind } from "../receive/refusal.ts";
import type { RefusedRequest, RefusedRequests } from "./refused-requests.ts";

export interface RefusalMethodOptions {
  readonly refused: Pick<RefusedRequests, "list">;
  /** Identifies the process, whose page tokens are of no use to others. */
  readonly run: string;
}

const reasons: Readonly<Record<RefusalKind, Reason>> = {
  unknown_channel: Reason.UNKNOWN_CHANNEL,
  unauthenticated: Reason.UNAUTHENTICATED,
  bad_body: Reason.BAD_BODY,
  too_large: Reason.TOO_LARGE,
  conflict: Reason.CONFLICT,
  unavailable: Reason.UNAVAILABLE,
};
const kinds = Object.keys(reasons) as readonly RefusalKind[];

/** Creates the method that lists the requests which this process has refused. */
export function createRefusalMethod({
  refused,
  run,
}: RefusalMethodOptions): Pick<ServiceImpl<typeof WebhookReceiver>, "listRefusals"> {
  return {
    listRefusals: (request) =>
      mapErrors(async () => {
        const filter = { channel: request.channel || undefined, kind: readReason(request.reason) };
        const list = ["refusals", run, filter];
        const { limit, after } = readPage(request, list);
        const found = refused.list(filter, after === undefined ? Infinity : readCursor(after), limit + 1);
        const page = found.slice(0, limit);
        const next = found.length > limit ? `${page.at(-1)!.number}` : null;
        return { refusals: page.map(toMessage), nextPageToken: writePageToken(next, list) };
      }),
  };
}

function readReason(reason: Reason): RefusalKind | undefined {
  if (reason === Reason.UNSPECIFIED) return undefined;
  const kind = kinds.find((one) => reasons[one] === reason);
  if (kind !== undefined) return kind;
  return refuseField("reason", `is ${reason}, valid are ${Object.values(reasons).join(", ")}, or 0 for all`);
}

function readCursor(after: string): number {
  if (!/^\d{1,15}$/.test(after)) throw foreignPageToken();
  return Number(after);
}

function toMessage(request: RefusedRequest): MessageInitShape<typeof RefusedRequestSchema> {
  const { number, atMs, channel, kind, message, cause, body, bodyBytes } = request;
  return {
    number: BigInt(number),
    time: timestampOf(atMs),
    channel,
    reason: reasons[kind],
    message,
    cause,
    body,
    ...(bodyBytes !== undefined && { bodyBytes: BigInt(bodyBytes) }),
  };
}
