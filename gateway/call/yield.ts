import { setImmediate as nextTurn } from "node:timers/promises";
import type { Interceptor } from "@connectrpc/connect";

/** At some 0.1 ms for each message and its answer, other calls wait for about 3 ms. */
const messagesPerTurn = 32;

/**
 * Gives other calls their turn between the messages of a stream. What has arrived together, up to a window of tiny
 * messages, is otherwise worked off without a pause, for taking a message that is there waits for nothing.
 */
export const takeTurns: Interceptor = (next) => (request) =>
  next(request.stream ? { ...request, message: inTurns(request.message) } : request);

async function* inTurns<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
  let taken = 0;
  for await (const message of messages) {
    if (++taken % messagesPerTurn === 0) await nextTurn();
    yield message;
  }
}
