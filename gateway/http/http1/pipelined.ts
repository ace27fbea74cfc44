import type { Socket } from "node:net";

/** Pipelined requests of one connection that are handled at a time: their responses are sent in order anyway. */
export const maxPipelined = 16;
/** Requests that may wait for them, some 3 KB each: Node parses all that arrive until responses wait to be read. */
const maxWaiting = 4_000;

const kWaiting = Symbol("pipelined requests that wait");

type Pipe = Socket & { [kWaiting]?: (() => void)[] | undefined };

/** Keeps a request of a connection that has `maxPipelined` open ones; a connection on which too many wait is cut. */
export function waitForEarlier(socket: Socket, begin: () => void): void {
  const pipe: Pipe = socket;
  pipe[kWaiting] ??= [];
  if (pipe[kWaiting].length < maxWaiting) pipe[kWaiting].push(begin);
  else socket.destroy();
}

/** Begins the next waiting request of this connection once another has its response. */
export function beginNext(socket: Socket): void {
  const pipe: Pipe = socket;
  if (pipe[kWaiting] === undefined) return;
  if (socket.destroyed) pipe[kWaiting] = undefined;
  else pipe[kWaiting].shift()?.();
}
