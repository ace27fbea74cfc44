import { createReceiver, json } from "../receiver.ts";

const seen = new Set<string>();

/** A repeat is an error of the caller. */
export const receiver = createReceiver({
  async once(requestId, work) {
    if (requestId === undefined) return work();
    if (seen.has(requestId)) return json(200, { return_code: 1, return_message: "duplicate request" });
    seen.add(requestId);
    return work();
  },
});
