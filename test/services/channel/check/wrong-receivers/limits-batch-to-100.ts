import { createReceiver, json } from "../receiver.ts";

/** More than the default of the platform was never tried. */
export const receiver = createReceiver({
  refuse: (_request, elements) =>
    elements.length > 100 ? json(400, { return_code: 1, return_message: "at most 100" }) : undefined,
});
