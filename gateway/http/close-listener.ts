import type { ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { NodeResponse } from "./http.ts";

/** Learns that a response is complete, or its connection closed. */
export interface CloseListener {
  closed(): void;
}

const kListener = Symbol("close listener");

type Watched = { [kListener]?: CloseListener | null };

/** Promises that its caller calls `notifyClosed` when the response or stream closes. */
export function watchClose(target: ServerResponse | ServerHttp2Stream): void {
  (target as Watched)[kListener] = null;
}

/** Sets the only listener of a response or stream. Another one of its event would take a percent of a small call. */
export function setCloseListener(target: NodeResponse | ServerHttp2Stream, listener: CloseListener): void {
  const watched = target as Watched;
  if (watched[kListener] === undefined) (target as ServerResponse).on("close", onClose);
  watched[kListener] = listener;
}

function onClose(this: Watched): void {
  notifyClosed(this);
}

export function notifyClosed(target: object): void {
  const watched = target as Watched;
  const listener = watched[kListener];
  // What is kept for longer would keep the call too (decision 144).
  watched[kListener] = null;
  listener?.closed();
}
