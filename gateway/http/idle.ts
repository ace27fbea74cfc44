import type { ServerHttp2Session } from "node:http2";

/** How often a session is looked at during the time it may be idle. */
const looks = 4;

/**
 * Closes a session gracefully when nothing was read or written for this time,
 * or up to a quarter longer. The timeouts of Node's own are started anew by
 * each frame, which takes a twentieth of the time of a small call.
 */
export function closeWhenIdle(session: ServerHttp2Session, idleMs: number): void {
  const { socket } = session;
  let seen = -1;
  let quietLooks = 0;
  const look = (): void => {
    const bytes = socket.bytesRead + socket.bytesWritten;
    quietLooks = bytes === seen ? quietLooks + 1 : 0;
    seen = bytes;
    if (quietLooks < looks) return;
    clearInterval(timer);
    session.close();
  };
  const timer = setInterval(look, Math.max(1, idleMs / looks));
  timer.unref();
  session.once("close", () => clearInterval(timer));
}
