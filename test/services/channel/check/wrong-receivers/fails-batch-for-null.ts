import { createReceiver, json } from "../receiver.ts";

/** A schema forbids null, and the whole batch is held against it. */
export const receiver = createReceiver({
  refuse: ({ body }) =>
    body.includes(":null") ? json(200, { return_code: 1, return_message: "null" }) : undefined,
});
