import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ServerHttp2Stream } from "node:http2";
import { onTestFinished } from "vitest";

/** Calls back with each stream of a server that begins in a test, before the gateway sees it. */
export function onStreamStart(begun: (stream: ServerHttp2Stream) => void): void {
  const listener = (message: unknown): void => begun((message as { stream: ServerHttp2Stream }).stream);
  subscribe("http2.server.stream.start", listener);
  onTestFinished(() => void unsubscribe("http2.server.stream.start", listener));
}
