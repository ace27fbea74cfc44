import { create, type Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { DebugIngestResponseSchema, IngestResponseSchema } from "../../gen/engage/event/v1/ingest_pb.ts";
import type { CollectObserver } from "./observer.ts";

/** What is wrong with the sender; code −2. */
export const unknownAppid = "unknown appid";

/** A request of an SDK before its body is read. */
export interface SdkHead {
  readonly header: Pick<Headers, "get">;
  readonly query: (name: string) => string | undefined;
}

/** Whether the body is read, and how much of it; `tooLarge` makes the error for more. */
export type SdkStanding =
  | "known"
  | "unknown"
  | { readonly maxBytes: number; readonly tooLarge: () => ConnectError }
  | { readonly answer: Message };

export interface SdkAdmitOptions {
  /** All that are known. */
  readonly appids: ReadonlySet<string>;
  readonly observer: Pick<CollectObserver, "rejected">;
  /** The error for a body beyond the limit, which REST answers with 413. */
  readonly tooLarge: (message: string) => ConnectError;
}

/** What a sender may send who is named in the body at most; the largest batches of client SDKs have a tenth. */
const unnamedBytes = 1_048_576;

/**
 * Decides by the app id in header or query. An unknown one is answered without
 * the body. Without one the body may name the sender, as those of client SDKs
 * do: it may be of some length as it is, and what a Content-Encoding makes of
 * it, which no SDK has, as long as that of any stranger.
 */
export function createSdkAdmit({ appids, observer, tooLarge }: SdkAdmitOptions) {
  const message = `a body of more than ${unnamedBytes} bytes needs the appid as header or query parameter`;
  const unnamed = { maxBytes: unnamedBytes, tooLarge: () => tooLarge(message) };
  const admit =
    (answer: () => Message) =>
    ({ header, query }: SdkHead): SdkStanding => {
      const appid = header.get("appid") ?? query("appid") ?? "";
      if (appid === "")
        return (header.get("content-encoding") ?? "identity") === "identity" ? unnamed : "unknown";
      if (appids.has(appid)) return "known";
      observer.rejected("appid");
      return { answer: answer() };
    };
  return {
    ingest: admit(() => create(IngestResponseSchema, { code: -2, msg: unknownAppid })),
    debugIngest: admit(() =>
      create(DebugIngestResponseSchema, { errorLevel: 2, errorReasons: [unknownAppid] }),
    ),
  };
}
