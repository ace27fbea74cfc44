import { createReceiver, json } from "../receiver.ts";

/** Nothing to do is an error. */
export const receiver = createReceiver({
  refuse: (_request, elements) =>
    elements.length === 0 ? json(400, { return_code: 1, return_message: "empty" }) : undefined,
});
