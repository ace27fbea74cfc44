import { createReceiver } from "../receiver.ts";

let queue: Promise<void> = Promise.resolve();

/** One batch at a time, each for 40 ms: 25 in a second. */
export const receiver = createReceiver({
  work() {
    queue = queue.then(() => new Promise((resolve) => setTimeout(resolve, 40)));
    return queue;
  },
});
