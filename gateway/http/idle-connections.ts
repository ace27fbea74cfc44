import type { Server } from "node:http";
import type { ServerHttp2Session } from "node:http2";
import type * as net from "node:net";

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

/** A client may just be sending on an idle connection of HTTP/1.1: it is left open this long into a drain. */
const graceMs = 250;
/** How many of these times idle connections are left open at most. */
const maxGraces = 8;

/** A server of HTTP/1.1, or of both versions, which lacks the method in the types of Node. */
export type Http1Listener = net.Server & Partial<Pick<Server, "closeIdleConnections">>;

/**
 * Closes idle connections of HTTP/1.1 during a drain. A request fails if its client sends it while the connection is
 * closed, so no connection should be closed that its client is about to use. A client that makes requests during the
 * drain may use its other connections next, where the response says `connection: close`: it gets more time.
 */
export class IdleCloser implements Disposable {
  readonly #listener: Http1Listener;
  readonly #sockets: ReadonlySet<net.Socket>;
  readonly #http1Sockets: ReadonlySet<net.Socket>;
  readonly #timer: NodeJS.Timeout;
  #gracesLeft = 1;

  /**
   * @param sockets all connections
   * @param http1Sockets those on which a request of HTTP/1.1 came, within TLS
   */
  constructor(
    listener: Http1Listener,
    sockets: ReadonlySet<net.Socket>,
    http1Sockets: ReadonlySet<net.Socket>,
  ) {
    this.#listener = listener;
    this.#sockets = sockets;
    this.#http1Sockets = http1Sockets;
    this.#timer = setInterval(() => {
      if (this.#gracesLeft > 0) this.#gracesLeft--;
      // Timers run before sockets are read, and a busy process may have requests to read.
      setImmediate(() => this.#close());
    }, graceMs);
  }

  requestCame(): void {
    this.#gracesLeft = maxGraces;
  }

  #close(): void {
    if (this.#gracesLeft > 0) return;
    // Node closes connections whose response is complete, also before it is sent.
    for (const socket of this.#http1Sockets) if (socket.writableLength > 0) return;
    this.#listener.closeIdleConnections?.();
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
