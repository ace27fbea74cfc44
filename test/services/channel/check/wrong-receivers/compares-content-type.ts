import { createReceiver, json } from "../receiver.ts";

/** A parameter makes it another type. */
export const receiver = createReceiver({
  refuse: ({ headers }) =>
    /^application\/json;/.test(headers["content-type"] ?? "")
      ? json(415, { return_code: 1, return_message: "application/json only" })
      : undefined,
});
