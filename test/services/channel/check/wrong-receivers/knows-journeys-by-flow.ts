import { createReceiver } from "../receiver.ts";

/** Something has to be the key where there is no request id. */
export const receiver = createReceiver({
  keyOf: ({ ops_request_id: requestId, ops_flow_id: flowId }) => requestId ?? flowId,
});
