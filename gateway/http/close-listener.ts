import type { ServerResponse } from "node:http";
import type { NodeResponse } from "./http.ts";

/** Learns that a response is complete, or its connection closed. */
export interface CloseListener {
  closed(): void;
}

const kListener = Symbol("close listener");

type Watched = ServerResponse & { [kListener]?: CloseListener | null };

/** Promises that its caller calls `notifyClosed` when the response closes. */
export function watchClose(response: ServerResponse): void {
  (response as Watched)[kListener] = null;
}

/** Sets the only listener of a response. Another listener of its event would take a percent of a small call. */
export function setCloseListener(target: NodeResponse, listener: CloseListener): void {
  const response = target as Watched;
  if (response[kListener] === undefined) response.on("close", onClose);
  response[kListener] = listener;
}

function onClose(this: ServerResponse): void {
  notifyClosed(this);
}

export function notifyClosed(response: ServerResponse): void {
  (response as Watched)[kListener]?.closed();
}
