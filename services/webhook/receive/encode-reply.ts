import { create } from "@bufbuild/protobuf";
import {
  type ReceiveResponse,
  ReceiveResponseSchema,
} from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import type { ElementFailure } from "./elements.ts";

interface Outcome {
  readonly returnCode: number;
  readonly returnMessage: string;
}

const success: Outcome = { returnCode: 0, returnMessage: "success" };
/** The reply to most batches. */
const allAccepted = encode([], success);

/**
 * Encodes a reply, as it is stored and sent: `{"return_code":0,"return_message":"success","data":{"fail_list":[]}}`.
 * `fail_list` is present even if it is empty; its indexes are counted from 1.
 */
export function encodeReply(failures: readonly ElementFailure[], outcome = success): Uint8Array {
  return failures.length === 0 && outcome === success ? allAccepted : encode(failures, outcome);
}

function encode(failures: readonly ElementFailure[], { returnCode, returnMessage }: Outcome): Uint8Array {
  const failList = failures.map(({ index, message }) => ({ index: index + 1, message }));
  return Buffer.from(
    JSON.stringify({ return_code: returnCode, return_message: returnMessage, data: { fail_list: failList } }),
  );
}

interface Reply {
  readonly return_code: number;
  readonly return_message: string;
  readonly data: { readonly fail_list: readonly { readonly index: number; readonly message: string }[] };
}

/** Decodes a reply of `encodeReply`, also of older versions. */
export function decodeReply(bytes: Uint8Array): ReceiveResponse {
  const reply = JSON.parse(Buffer.from(bytes).toString("utf8")) as Partial<Reply>;
  return create(ReceiveResponseSchema, {
    returnCode: reply.return_code ?? 0,
    returnMessage: reply.return_message ?? "",
    data: { failList: (reply.data?.fail_list ?? []).map(({ index, message }) => ({ index, message })) },
  });
}
