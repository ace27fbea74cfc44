import { createReceiver, json } from "../receiver.ts";

/** Reports indexes only. */
export const receiver = createReceiver({
  answer: (failures) =>
    json(200, { return_code: 0, data: { fail_list: failures.map(({ index }) => ({ index })) } }),
});
