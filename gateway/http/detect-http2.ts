import type * as net from "node:net";

const http2Preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Reads until it is known whether a connection starts with the HTTP/2 preface, then puts the bytes back. */
export function detectHttp2(socket: net.Socket, timeoutMs: number, decide: (isHttp2: boolean) => void): void {
  const drop = (): void => {
    socket.destroy();
  };
  let seen: Buffer = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    const compared = Math.min(seen.length, http2Preface.length);
    const isHttp2 = seen.subarray(0, compared).equals(http2Preface.subarray(0, compared));
    if (isHttp2 && compared < http2Preface.length) return;
    clearTimeout(timer);
    socket.off("data", onData).off("error", drop).off("end", drop);
    socket.pause();
    socket.unshift(seen);
    decide(isHttp2);
  };
  // Not the socket's own timer, which every byte would restart.
  const timer = setTimeout(drop, timeoutMs);
  socket.once("close", () => clearTimeout(timer));
  socket.on("error", drop).on("end", drop).on("data", onData);
}
