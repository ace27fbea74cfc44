import { Code, ConnectError } from "@connectrpc/connect";
import type { BodyLimit, RequestHead } from "../../../base/rpc/request-head.ts";
import { quoteText } from "../../../base/text/quote.ts";
import type { Channel } from "../channels.ts";
import type { ReceiveObserver } from "../observer.ts";
import { checkHeaders } from "./authenticate.ts";
import { toConnectError } from "./errors.ts";
import { Refusal } from "./refusal.ts";

export interface AdmitOptions {
  readonly channels: ReadonlyMap<string, Channel>;
  readonly observer: Pick<ReceiveObserver, "refused">;
  /** Creates the error for a body beyond the channel's limit, for which REST responds with 413. */
  readonly tooLarge: (message: string) => ConnectError;
}

/**
 * Creates the check of a call before its body is read. It refuses an unknown channel, and a call without a required
 * header or without a signature.
 */
export function createReceiveAdmit({ channels, observer, tooLarge }: AdmitOptions) {
  const refuse = (name: string, refusal: Refusal): ConnectError => {
    observer.refused(name, refusal);
    return toConnectError(refusal, tooLarge);
  };
  return ({ header, path }: Pick<RequestHead, "header" | "path">): BodyLimit | "unknown" => {
    const name = path("channel");
    // The gateway refuses a malformed escape.
    if (name === undefined) return "unknown";
    const channel = channels.get(name);
    if (channel === undefined) throw refuse(name, unknownChannel(name));
    try {
      checkHeaders(channel, header);
    } catch (error) {
      throw error instanceof Refusal ? refuse(name, error) : error;
    }
    const { maxBytes } = channel;
    const message = `body is larger than the limit of ${maxBytes} bytes`;
    return { maxBytes, tooLarge: () => refuse(name, new Refusal("too_large", message)) };
  };
}

/**
 * Creates the check of callers of typed batches. It refuses anonymous callers if all channels have secrets, because a
 * signature covers the bytes of an HTTP body.
 */
export function createReceiveAdmitCaller(channels: ReadonlyMap<string, Channel>) {
  const needsCaller = (): boolean =>
    channels.size > 0 && ![...channels.values()].some(({ secrets }) => secrets === undefined);
  return ({ kind }: { readonly kind: string }): void => {
    if (kind === "anonymous" && needsCaller())
      throw new ConnectError(`this server accepts ${typedNeedCaller}`, Code.Unauthenticated);
  };
}

export const typedNeedCaller = "typed messages only from callers with a key or a client certificate";

export function unknownChannel(name: string): Refusal {
  return new Refusal("unknown_channel", `there is no channel ${quoteText(name)}`);
}
