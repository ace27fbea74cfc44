import { setImmediate } from "node:timers/promises";
import type { Interceptor } from "@connectrpc/connect";

/** A message and its response take some 0.1 ms, so other calls wait for about 3 ms. */
const messagesPerYield = 32;

/**
 * Lets other calls run between the messages of a stream. Messages that have arrived together, up to a window of tiny
 * ones, would otherwise be handled without a pause, because taking one that is there waits for nothing.
 */
export const yieldBetweenMessages: Interceptor = (next) => (request) =>
  next(request.stream ? { ...request, message: yielding(request.message) } : request);

async function* yielding<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
  let taken = 0;
  for await (const message of messages) {
    if (++taken % messagesPerYield === 0) await setImmediate();
    yield message;
  }
}
