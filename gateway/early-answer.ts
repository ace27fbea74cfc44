import { constants } from "node:http2";
import type { NodeRequest } from "./port.ts";

/** A caller that is still sending gets this long to read its answer. */
const lingerMs = 500;

/**
 * Prepares for an answer to a request that is still coming. HTTP/2 can tell the
 * caller to stop. HTTP/1.1 has no word for that, and to cut the connection at
 * once, as Node does, would make the caller's system drop an answer that it has
 * not read: it is closed on this side first and a little later altogether. Such
 * an answer must say `connection: close`.
 */
export function stopRequest(request: NodeRequest): void {
  if ("stream" in request) {
    // Waits for what is being written.
    request.stream.close(constants.NGHTTP2_NO_ERROR);
    return;
  }
  const { socket } = request;
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once("close", () => clearTimeout(timer));
  };
}
