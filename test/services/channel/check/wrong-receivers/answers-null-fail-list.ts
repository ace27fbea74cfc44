import { createReceiver, json } from "../receiver.ts";

/** Failures are logged, and never told. */
export const receiver = createReceiver({
  answer: () => json(200, { return_code: 0, return_message: "success", data: { fail_list: null } }),
});
