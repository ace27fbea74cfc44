import { Code, ConnectError } from "@connectrpc/connect";
import type { CallRecord } from "../call/record.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { isClosed, type NodeRequest, type NodeResponse } from "../http/http.ts";
import { sendResponse } from "../http/send.ts";
import { encodeError } from "../rest/status.ts";

/**
 * Returns undefined for a call that is refused, since its handlers cannot be loaded. Clients of all protocols read
 * UNAVAILABLE from the status. @throws Error if the caller has left meanwhile: nothing would end a stream
 */
export async function loadOrRefuse<Handlers>(
  { reportFault }: GatewayContext,
  load: () => Promise<Handlers>,
  request: NodeRequest,
  response: NodeResponse,
  record: CallRecord,
): Promise<Handlers | undefined> {
  const handlers = await load().catch((error: unknown) => {
    reportFault(error, record);
    return undefined;
  });
  if (isClosed(request, response)) throw new Error("the caller closed the connection");
  if (handlers !== undefined) return handlers;
  const { requestId } = record;
  const message = `the server cannot load the handlers of this call, request id ${requestId}`;
  const { status, headers, body } = encodeError(new ConnectError(message, Code.Unavailable));
  headers["x-request-id"] = requestId;
  record.code = Code.Unavailable;
  sendResponse(request, response, { status, headers, body });
  return undefined;
}
