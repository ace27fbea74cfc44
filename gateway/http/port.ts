import * as http from "node:http";
import type * as http2 from "node:http2";
import * as net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import type { GatewayLimits } from "../limits.ts";
import { notifyClosed, watchClose } from "./close-listener.ts";
import { type Address, type Connections, connectionOf } from "./connections.ts";
import { detectHttp2 } from "./detect-http2.ts";
import { FairWorkQueue } from "./fair-work-queue.ts";
import type { NodeRequest, NodeResponse } from "./http.ts";
import { endPipelined, maxPipelined, startPipelined, waitForEarlier } from "./http1/pipelined.ts";
import { sendBeforeClose, sendWaitingResponses } from "./http1/waiting-responses.ts";
import {
  createHttp2Server,
  createTlsServer,
  type Http2ServerOptions,
  type LiveLimits,
  type OnStream,
} from "./http2/http2-server.ts";
import { useStreamTable } from "./http2/session-streams.ts";
import { closeWhenIdle, type Http1Listener, IdleCloser } from "./idle-connections.ts";
import type { OpenBytes } from "./open-bytes.ts";
import { endHttp1Call, startHttp1Call } from "./open-calls.ts";
import {
  contextOf,
  http1Options,
  sessionWindowBytes,
  settingsOf,
  type TlsOptions,
  timesOf,
} from "./server-options.ts";

export interface PortOptions {
  readonly limits: GatewayLimits;
  readonly connections: Connections;
  readonly openBytes: OpenBytes;
  readonly tls?: TlsOptions;
  /** Serves HTTP/1.1 requests, and those HTTP/2 requests that `onStream` does not take. */
  readonly onRequest: (request: NodeRequest, response: NodeResponse) => void;
  readonly onStream: OnStream;
}

/** One TCP port for HTTP/1.1 and HTTP/2, in plain text (h2 by its preface) or over TLS (by ALPN). */
export interface Port {
  listen(host: string, port: number): Promise<net.AddressInfo>;
  /**
   * Stops accepting, informs HTTP/2 peers by GOAWAY and HTTP/1.1 peers by
   * `connection: close`, lets open calls finish and cuts what is left after
   * `graceMs`.
   */
  drain(graceMs: number): Promise<void>;
  /** Changes limits of calls and of new connections, except of the size of headers and the time for them. */
  setLimits(limits: GatewayLimits): void;
  /** Changes the certificate for new connections. Whether clients present one stays the same. */
  setTls(tls: TlsOptions): void;
}

/**
 * HTTP/2 sessions that begin in one iteration of the event loop. With the first packet of each may come a hundred
 * streams, which take about 3 ms.
 */
const sessionsPerIteration = 2;

const kResponse = Symbol("response");

/**
 * An HTTP/1.1 connection with the response to its latest request. A property takes less time than a set of
 * responses.
 */
type Http1Socket = net.Socket & { [kResponse]?: http.ServerResponse | null };

export function createPort(options: PortOptions): Port {
  const sockets = new Set<net.Socket>();
  const sessions = new Set<http2.ServerHttp2Session>();
  const http1Sockets = new Set<Http1Socket>();
  const limits: LiveLimits = { current: options.limits };
  /** Set from the beginning of a drain on. */
  let idleCloser: IdleCloser | undefined;
  const onRequest = (request: NodeRequest, response: NodeResponse): void => {
    if ("shouldKeepAlive" in response) {
      setLatest(http1Sockets, response);
      const calls = startHttp1Call(response);
      response.on("close", forget);
      watchClose(response);
      if (idleCloser !== undefined) {
        closeAfterResponse(response);
        idleCloser.requestCame();
      }
      if (calls > 1) startPipelined(response, options.openBytes);
      if (calls > maxPipelined) {
        keep(options, response);
        return;
      }
    }
    options.onRequest(request, response);
  };
  const onSession = (session: http2.ServerHttp2Session): void => {
    useStreamTable(session);
    options.connections.alias(session, session.socket);
    session.setLocalWindowSize(sessionWindowBytes);
    closeWhenIdle(session, limits.current.idleTimeoutMs);
    // A broken session ends its calls, which report it themselves.
    session.on("error", () => {});
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    if (idleCloser !== undefined) session.close();
  };
  const { openBytes, onStream } = options;
  const both: Http2ServerOptions = { limits, openBytes, onSession, onStream, onRequest };
  const { listener, h2 } = options.tls ? createTls(both, options.tls) : createPlain(both);
  const { connections } = options;
  listener.prependListener("connection", (socket: net.Socket) => {
    if (connections.add(socket, performance.now()) === undefined) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  listener.prependListener("secureConnection", (socket: TLSSocket) => connections.alias(socket, socket));
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        listener.once("error", reject);
        listener.listen(port, host, () => {
          listener.off("error", reject);
          resolve(listener.address() as net.AddressInfo);
        });
      }),
    async drain(graceMs) {
      idleCloser ??= new IdleCloser(listener, sockets, http1Sockets);
      for (const session of sessions) session.close();
      for (const { [kResponse]: latest } of http1Sockets) if (latest) closeAfterResponse(latest);
      await closeListener(listener, sockets, graceMs);
      idleCloser[Symbol.dispose]();
    },
    setLimits(next) {
      limits.current = next;
      // The server of HTTP/1.1, which has these properties also where TLS chooses the protocol.
      Object.assign(listener, timesOf(next));
      h2()?.updateSettings(settingsOf(next));
    },
    setTls: (tls) => (h2() as http2.Http2SecureServer).setSecureContext(contextOf(tls)),
  };
}

/** Accepts no more connections, and resolves when all are closed; destroys those that are open after `graceMs`. */
async function closeListener(
  listener: net.Server,
  sockets: ReadonlySet<net.Socket>,
  graceMs: number,
): Promise<void> {
  // http.Server.close would at once cut idle connections that a peer may be sending on.
  const closed = new Promise<void>((resolve) => net.Server.prototype.close.call(listener, () => resolve()));
  const stop = new AbortController();
  const cut = sleep(graceMs, undefined, { signal: stop.signal }).then(() => {
    // A TLS connection cannot be written to once the socket below it is destroyed.
    sendWaitingResponses();
    for (const socket of sockets) socket.destroy();
  }, ignore);
  await closed;
  stop.abort();
  await cut;
}

/** What listens, and the server of HTTP/2. */
interface Servers {
  readonly listener: Http1Listener;
  /** Returns undefined where no connection has needed it. */
  readonly h2: () => http2.Http2Server | http2.Http2SecureServer | undefined;
}

function createTls(options: Http2ServerOptions, tls: TlsOptions): Servers {
  const server = createTlsServer(options, tls);
  return { listener: server, h2: () => server };
}

/**
 * The HTTP/1.1 server owns the listening socket: its header and request
 * timeouts run only in a server that listens. Connections that start with the
 * HTTP/2 preface are handed to the other server, which the first of them creates.
 */
function createPlain(options: Http2ServerOptions): Servers {
  const { limits, onRequest } = options;
  const h1 = http.createServer(http1Options(limits.current), onRequest);
  let h2: http2.Http2Server | undefined;
  const serveHttp1 = h1.listeners("connection")[0] as (this: http.Server, socket: net.Socket) => void;
  h1.removeAllListeners("connection");
  const waiting = new FairWorkQueue<Address>(sessionsPerIteration);
  h1.on("connection", (socket: net.Socket) => {
    socket.setNoDelay(true);
    detectHttp2(socket, limits.current.headersTimeoutMs, (isHttp2) => {
      if (isHttp2) {
        // HTTP/1.1 servers keep a connection whose peer has ended its side; HTTP/2 servers close it.
        socket.allowHalfOpen = false;
        socket.on("error", ignore);
        waiting.run(connectionOf(socket).address, () => {
          if (socket.destroyed) return;
          h2 ??= createHttp2Server(options);
          h2.emit("connection", socket);
        });
      } else {
        serveHttp1.call(h1, socket);
        socket.resume();
      }
    });
  });
  return { listener: h1, h2: () => h2 };
}

/** Keeps the latest response of a connection, and the connection if it is new. */
function setLatest(sockets: Set<Http1Socket>, response: http.ServerResponse): void {
  const socket = response.req.socket as Http1Socket;
  if (socket[kResponse] === undefined) {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    sendBeforeClose(socket);
  }
  socket[kResponse] = response;
}

/** A separate function, so that the closures of a connection do not hold its requests. */
function keep({ onRequest }: PortOptions, response: http.ServerResponse): void {
  waitForEarlier(response, () => onRequest(response.req, response));
}

/** Frees the last request of an idle connection, with its body. */
function forget(this: http.ServerResponse): void {
  endHttp1Call(this);
  const socket = this.req.socket as Http1Socket;
  if (socket[kResponse] === this) socket[kResponse] = null;
  endPipelined(this);
  notifyClosed(this);
}

/** Closes the connection after a response that is sent while the port drains: its peer could send another request. */
function closeAfterResponse(response: http.ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}

function ignore(): void {}
