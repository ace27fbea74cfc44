import { NodeHeaders } from "../call/headers.ts";
import type { CallRecord } from "../call/record.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { NodeRequest, NodeResponse } from "../http/http.ts";
import { abortResponse } from "../http/send.ts";
import type { ServedMethod } from "../methods.ts";
import type { OpenStream } from "../open-streams.ts";

interface StreamedCall {
  readonly record: CallRecord;
  readonly served: ServedMethod;
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly enter: () => void;
}

export interface Revocation {
  readonly signal: AbortSignal;
  /** Called when the call has ended. */
  close(): void;
}

/** A caller that does not read its response gets this long for the error that ends the call. */
const lingerMs = 1_000;

/** Creates a signal that ends a streaming call whose caller may not make it any more. */
export function openRevocation(
  gateway: GatewayContext,
  { record, served, request, response, enter }: StreamedCall,
): Revocation {
  const revoked = new AbortController();
  let cutting: NodeJS.Timeout | undefined;
  const stream: OpenStream = {
    record,
    served,
    header: new NodeHeaders(request.headers),
    enter,
    cut(reason) {
      revoked.abort(reason);
      cutting ??= setTimeout(() => abortResponse(request, response), lingerMs);
    },
  };
  gateway.streams.add(stream);
  return {
    signal: revoked.signal,
    close() {
      gateway.streams.delete(stream);
      clearTimeout(cutting);
    },
  };
}
