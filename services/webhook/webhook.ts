import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { asBuffer } from "../../base/json/utf8.ts";
import { kRequestAttachment, kResponseAttachment, type RawBody } from "../../base/rpc/rest-codec.ts";
import { quoteText } from "../../base/text/quote.ts";
import type { Trace } from "../../base/trace/trace.ts";
import {
  type ReceiveRequest,
  ReceiveResponseSchema,
  type WebhookReceiver,
} from "../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import type { Channel } from "./channels.ts";
import { typedNeedCaller } from "./receive/admit.ts";
import { decodeReply } from "./receive/encode-reply.ts";
import { toConnectError } from "./receive/errors.ts";
import type { Incoming, Receive } from "./receive/receive.ts";
import { Refusal } from "./receive/refusal.ts";
import { encodeBatch } from "./receive/typed-batch.ts";

export interface ReceiveServiceOptions {
  readonly receive: Receive;
  readonly channels: ReadonlyMap<string, Channel>;
  /** Returns the name of the authenticated caller; undefined for an anonymous one. */
  readonly callerOf: (context: HandlerContext) => string | undefined;
  /** Returns the trace of a call. Default: none. */
  readonly traceOf?: (context: HandlerContext) => Trace | undefined;
  /** Creates the error for a body beyond the channel's limit, for which REST responds with 413. */
  readonly tooLarge: (message: string) => ConnectError;
}

/** The method Receive of the service WebhookReceiver. */
export function createReceiveMethod(
  options: ReceiveServiceOptions,
): Pick<ServiceImpl<typeof WebhookReceiver>, "receive"> {
  const { receive, tooLarge } = options;
  return {
    async receive(request, context) {
      const raw = context.values.get(kRequestAttachment) as RawBody | undefined;
      const incoming = raw === undefined ? fromTyped(request, context) : fromRest(request, context, raw);
      try {
        const bytes = await receive({ ...incoming, trace: options.traceOf?.(context) });
        if (raw === undefined) return decodeReply(bytes);
        context.values.set(kResponseAttachment, bytes);
        return create(ReceiveResponseSchema);
      } catch (error) {
        throw error instanceof Refusal ? toConnectError(error, tooLarge) : error;
      }
    },
  };

  function fromRest({ channel }: ReceiveRequest, context: HandlerContext, raw: RawBody): Incoming {
    const { body, encoded } = raw;
    return { channel, body: asBuffer(body), encoded, headers: context.requestHeader };
  }

  /** Converts a typed call. A signature covers HTTP bytes, so other protocols need an authenticated caller. */
  function fromTyped({ channel, messages }: ReceiveRequest, context: HandlerContext): Incoming {
    const isOpen = options.channels.get(channel)?.secrets === undefined;
    if (!isOpen && options.callerOf(context) === undefined) {
      const message = `channel ${quoteText(channel)} accepts ${typedNeedCaller}`;
      throw new ConnectError(message, Code.Unauthenticated);
    }
    return { channel, headers: undefined, ...encodeBatch(messages) };
  }
}
