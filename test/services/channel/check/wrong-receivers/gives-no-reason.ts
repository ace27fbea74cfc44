import { createReceiver, json } from "../receiver.ts";

/** Only indexes are told. */
export const receiver = createReceiver({
  answer: (failures) =>
    json(200, { return_code: 0, data: { fail_list: failures.map(({ index }) => ({ index })) } }),
});
