import type { ServerHttp2Session } from "node:http2";

/** How often the traffic of a session is checked during the time it may be idle. */
const checks = 4;

/**
 * Closes a session gracefully when nothing was read or written for this time, or
 * up to a quarter longer. Node's own timeouts are restarted by each frame, which
 * takes a twentieth of the time of a small call.
 */
export function closeWhenIdle(session: ServerHttp2Session, idleMs: number): void {
  const { socket } = session;
  let seen = -1;
  let quietChecks = 0;
  const check = (): void => {
    const bytes = socket.bytesRead + socket.bytesWritten;
    quietChecks = bytes === seen ? quietChecks + 1 : 0;
    seen = bytes;
    if (quietChecks < checks) return;
    clearInterval(timer);
    session.close();
  };
  const timer = setInterval(check, Math.max(1, idleMs / checks));
  timer.unref();
  session.once("close", () => clearInterval(timer));
}
