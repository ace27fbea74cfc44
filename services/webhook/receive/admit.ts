import { Code, ConnectError } from "@connectrpc/connect";
import { quoteText } from "../../../base/text/quote.ts";
import type { Channel } from "../channels.ts";
import type { ReceiveObserver } from "../observer.ts";
import { checkHeaders } from "./authenticate.ts";
import { toConnectError } from "./errors.ts";
import { Refusal } from "./refusal.ts";

/** A REST call of Receive before its body is read. */
export interface ReceiveHead {
  readonly header: Pick<Headers, "get">;
  readonly path: (field: string) => string | undefined;
}

/** What may be read of the body; `tooLarge` makes the error for more. */
export interface ReceiveRoom {
  readonly maxBytes: number;
  readonly tooLarge: () => ConnectError;
}

export interface AdmitOptions {
  readonly channels: ReadonlyMap<string, Channel>;
  readonly observer: Pick<ReceiveObserver, "refused">;
  /** The error for a body beyond the channel's limit, which REST answers with 413. */
  readonly tooLarge: (message: string) => ConnectError;
}

/**
 * Refuses batches by their path and headers alone: for a channel that there is
 * not, without a header that the channel requires, or without any signature.
 */
export function createReceiveAdmit({ channels, observer, tooLarge }: AdmitOptions) {
  const refuse = (name: string, refusal: Refusal): ConnectError => {
    observer.refused(name, refusal);
    return toConnectError(refusal, tooLarge);
  };
  return ({ header, path }: ReceiveHead): ReceiveRoom | "unknown" => {
    const name = path("channel");
    // A malformed escape, which is refused as such.
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
 * Refuses typed batches of callers that the server does not know, unless there is
 * a channel that anyone may use: a signature covers the bytes of an HTTP body.
 */
export function createReceiveAdmitCaller(channels: ReadonlyMap<string, Channel>) {
  const all = [...channels.values()];
  const needsCaller = all.length > 0 && all.every(({ secrets }) => secrets !== undefined);
  return ({ kind }: { readonly kind: string }): void => {
    if (needsCaller && kind === "anonymous")
      throw new ConnectError(`this server takes ${typedNeedCaller}`, Code.Unauthenticated);
  };
}

export const typedNeedCaller = "typed messages only from callers with a key or a client certificate";

export function unknownChannel(name: string): Refusal {
  return new Refusal("unknown_channel", `there is no channel ${quoteText(name)}`);
}
