import { create, type Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { RequestHead, Standing } from "../../base/rpc/request-head.ts";
import { DebugIngestResponseSchema, IngestResponseSchema } from "../../gen/engage/event/v1/ingest_pb.ts";
import type { CollectObserver } from "./observer.ts";

/** The message of code −2. */
export const unknownAppid = "unknown appid";

export interface SdkAdmitOptions {
  /** App ids of all projects. */
  readonly appids: ReadonlySet<string>;
  readonly observer: Pick<CollectObserver, "rejected">;
  /** Creates the error for a body beyond the limit, for which REST responds with 413. */
  readonly tooLarge: (message: string) => ConnectError;
}

/** Limit of bodies that contain the app id themselves; the largest batches of client SDKs have a tenth. */
const unnamedBytes = 1_048_576;

/**
 * Creates the check of a request before its body is read, by the app id in header or query. An unknown app id is
 * refused without the body. Without an app id the body may contain one, as those of client SDKs do, and has a limit of
 * its own; with a Content-Encoding, which no SDK uses, the limit of unknown callers applies.
 */
export function createSdkAdmit({ appids, observer, tooLarge }: SdkAdmitOptions) {
  const message = `a body of more than ${unnamedBytes} bytes needs the appid as header or query parameter`;
  const unnamed = { maxBytes: unnamedBytes, tooLarge: () => tooLarge(message) };
  const admit =
    (createResponse: () => Message) =>
    ({ header, query }: Pick<RequestHead, "header" | "query">): Standing => {
      const appid = header.get("appid") ?? query("appid") ?? "";
      if (appid === "")
        return (header.get("content-encoding") ?? "identity") === "identity" ? unnamed : "unknown";
      if (appids.has(appid)) return "known";
      observer.rejected("appid");
      return { response: createResponse() };
    };
  return {
    ingest: admit(() => create(IngestResponseSchema, { code: -2, msg: unknownAppid })),
    debugIngest: admit(() =>
      create(DebugIngestResponseSchema, { errorLevel: 2, errorReasons: [unknownAppid] }),
    ),
  };
}
