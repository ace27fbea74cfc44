import { createReceiver, json } from "../receiver.ts";

/** Every value is a text. */
export const receiver = createReceiver({
  answer: (failures) => json(200, { return_code: "0", data: { fail_list: failures } }),
});
