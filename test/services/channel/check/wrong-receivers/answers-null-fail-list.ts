import { createReceiver, json } from "../receiver.ts";

/** Logs failures and never reports them. */
export const receiver = createReceiver({
  answer: () => json(200, { return_code: 0, return_message: "success", data: { fail_list: null } }),
});
