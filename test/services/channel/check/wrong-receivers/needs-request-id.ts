import { createReceiver, json } from "../receiver.ts";

/** Journeys were not thought of. */
export const receiver = createReceiver({
  refuse: ({ body }) =>
    body.includes("#ops_receipt_properties") && !body.includes("ops_request_id")
      ? json(400, { return_code: 1, return_message: "ops_request_id is required" })
      : undefined,
});
