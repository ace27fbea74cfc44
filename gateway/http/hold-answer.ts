import type { ServerHttp2Stream } from "node:http2";
import { type Connection, connectionOf } from "./connections.ts";
import type { OpenBytes } from "./open-bytes.ts";
import { connectionOfRequest, type NodeRequest, type NodeResponse } from "./port.ts";

/** Smaller answers are in the buffers of the system, or soon will be. */
const minAnswerBytes = 64 * 1024;

/** Counts a large answer that is being written as long as its caller does not read it. */
export function holdAnswer(
  openBytes: OpenBytes,
  request: NodeRequest,
  response: NodeResponse,
  bytes: number,
): void {
  if ("stream" in response) holdStream(openBytes, response.stream, bytes);
  else if (bytes >= minAnswerBytes && !response.destroyed) {
    const { socket } = request;
    hold(openBytes, connectionOfRequest(request), response, bytes, () => socket.destroy());
  }
}

/** The same on an HTTP/2 stream. */
export function holdStream(openBytes: OpenBytes, stream: ServerHttp2Stream, bytes: number): void {
  if (bytes < minAnswerBytes || stream.destroyed) return;
  // `close` would wait for what is being written.
  const cut = (): void => void stream.destroy(new Error("the answer is not read"));
  hold(openBytes, connectionOf(stream.session), stream, bytes, cut);
}

function hold(
  openBytes: OpenBytes,
  connection: Connection,
  target: { once(event: "close", listener: () => void): unknown },
  bytes: number,
  cut: () => void,
): void {
  const share = openBytes.openAnswer(connection, { cut }, bytes);
  target.once("close", () => share.close());
}
