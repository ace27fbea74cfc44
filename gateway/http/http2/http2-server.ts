import type * as http2 from "node:http2";
import { loadHttp2 } from "../../../base/net/late-modules.ts";
import type { GatewayLimits } from "../../limits.ts";
import type { Address } from "../connections.ts";
import { FairWorkQueue } from "../fair-work-queue.ts";
import type { NodeRequest, NodeResponse } from "../http.ts";
import type { OpenBytes } from "../open-bytes.ts";
import { startFairly, startHttp2Call, startLater } from "../open-calls.ts";
import { contextOf, http1Options, http2Options, type TlsOptions } from "../server-options.ts";

/** Receives each HTTP/2 stream first and returns whether it takes it. `pass` gives a taken stream up later. */
export type OnStream = (
  stream: http2.ServerHttp2Stream,
  headers: http2.IncomingHttpHeaders,
  pass: () => void,
) => boolean;

/** The limits in effect. */
export interface LiveLimits {
  current: GatewayLimits;
}

export interface Http2ServerOptions {
  readonly limits: LiveLimits;
  readonly openBytes: OpenBytes;
  readonly onSession: (session: http2.ServerHttp2Session) => void;
  readonly onStream: OnStream;
  /** Serves the requests of HTTP/2 that `onStream` does not take, and over TLS those of HTTP/1.1. */
  readonly onRequest: (request: NodeRequest, response: NodeResponse) => void;
}

/** Creates a server that gets its connections from another one. */
export function createHttp2Server(options: Http2ServerOptions): http2.Http2Server {
  const server = loadHttp2().createServer(http2Options(options.limits.current), options.onRequest);
  listen(server, options);
  return server;
}

/** Creates a server of both versions that listens itself. */
export function createTlsServer(options: Http2ServerOptions, tls: TlsOptions): http2.Http2SecureServer {
  const limits = options.limits.current;
  const server = loadHttp2().createSecureServer(
    {
      ...http1Options(limits),
      ...http2Options(limits),
      ...contextOf(tls),
      ...(tls.ca !== undefined && { requestCert: true, rejectUnauthorized: true }),
      handshakeTimeout: limits.headersTimeoutMs,
      allowHTTP1: true,
    },
    options.onRequest,
  );
  listen(server, options);
  return server;
}

/** HTTP/2 streams that begin in one iteration: packets may have hundreds, and a unary gRPC call takes 0.02 ms. */
const streamsPerIteration = 256;
/** Those of them that are HTTP requests, or streams that Connect's handlers serve, which take 0.2 ms. */
const requestsPerIteration = 16;

type StreamListener = (
  stream: http2.ServerHttp2Stream,
  headers: http2.IncomingHttpHeaders,
  flags: number,
  rawHeaders: string[],
) => void;

/** Listens for sessions, and for streams before Node's own listener, which turns them into requests. */
function listen(
  server: http2.Http2Server | http2.Http2SecureServer,
  { limits, openBytes, onSession, onStream }: Http2ServerOptions,
): void {
  // Servers of both kinds have these events, but no common type of them.
  const h2 = server as http2.Http2Server;
  h2.on("session", onSession);
  const compat = h2.listeners("stream")[0] as (...args: unknown[]) => void;
  h2.removeAllListeners("stream");
  const streams = new FairWorkQueue<Address>(streamsPerIteration);
  const requests = new FairWorkQueue<Address>(requestsPerIteration);
  const begin: StreamListener = (stream, headers, flags, rawHeaders) => {
    const pass = (): void =>
      startFairly(requests, stream, () => compat.call(h2, stream, headers, flags, rawHeaders));
    if (!onStream(stream, headers, pass)) pass();
  };
  const callLimits = {
    openBytes,
    get maxPerAddress() {
      return limits.current.maxCallsPerAddress;
    },
  };
  const listener: StreamListener = (stream, headers, flags, rawHeaders) => {
    // Reset within the packet that opened it; such a stream has no session any more.
    if (stream.destroyed) stream.on("error", ignore);
    else if (!startHttp2Call(stream, rawHeaders, callLimits)) return;
    // Without a closure, which most streams do not need.
    else if (streams.admits()) begin(stream, headers, flags, rawHeaders);
    else startLater(streams, stream, () => begin(stream, headers, flags, rawHeaders));
  };
  h2.on("stream", listener);
}

function ignore(): void {}
