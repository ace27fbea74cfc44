import type { ServerResponse } from "node:http";
import { Socket } from "node:net";

/** A response of HTTP/1.1 with its head, and the socket that it has. */
interface WholeResponse {
  readonly socket: Socket;
  readonly response: ServerResponse;
  readonly text: string;
  readonly encoding: "latin1" | "utf8";
}

/** The most responses that wait: calls of 15 µs each delay the first of them by half a millisecond. */
const maxWaiting = 32;
/** A longer text is sent at once, as it would take memory. */
const maxWaitingCharacters = 16 * 1024;
/** A longer message may take as long as many calls. */
const longBytes = 16 * 1024;
/** How many responses are sent at once after one that has waited alone, as on the only busy connection. */
const atOnceAfterLone = 4;

let waiting: WholeResponse[] = [];
/** Responses that have waited in this iteration of the event loop. */
let waitedNow = 0;
/** Responses that are still to be sent at once. */
let atOnceLeft = 0;

/**
 * Sends a response at the end of this iteration of the event loop, together with those of other connections. Their
 * receiver is then woken once: to wake it for each takes the system a tenth of the time of a small call.
 */
export function sendTogether(whole: WholeResponse): void {
  const isAfterLone = atOnceLeft > 0;
  if (isAfterLone) atOnceLeft--;
  if (isAfterLone || whole.text.length > maxWaitingCharacters) {
    send(whole);
    return;
  }
  if (waitedNow++ === 0) setImmediate(endIteration);
  if (waiting.push(whole) === maxWaiting) sendWaitingResponses();
}

/** Sends the responses that wait before a message of this size is read, which may take long. */
export function sendBeforeReading(bytes: number): void {
  if (bytes > longBytes) sendWaitingResponses();
}

/** Sends the responses that wait, as before their connections are cut. */
export function sendWaitingResponses(): void {
  const sent = waiting;
  waiting = [];
  for (const whole of sent) send(whole);
}

/**
 * Sends the responses that wait before this connection is ended or destroyed: what follows a request may be the end of
 * the connection, or no request.
 */
export function sendBeforeClose(socket: Socket): void {
  // This runs before Node's own listener, after which nothing can be written.
  socket.prependListener("end", sendWaitingResponses);
  socket.destroy = sendAndDestroy;
}

function sendAndDestroy(this: Socket, error?: Error): Socket {
  sendWaitingResponses();
  return Socket.prototype.destroy.call(this, error);
}

function endIteration(): void {
  if (waitedNow === 1) atOnceLeft = atOnceAfterLone;
  waitedNow = 0;
  sendWaitingResponses();
}

function send({ socket, response, text, encoding }: WholeResponse): void {
  socket.write(text, encoding);
  response.end();
}
