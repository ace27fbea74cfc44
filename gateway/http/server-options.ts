import type * as http from "node:http";
import type * as http2 from "node:http2";
import type { SecureContextOptions } from "node:tls";
import { loadTls } from "../../base/net/late-modules.ts";
import { type GatewayLimits, timeoutCheckMsOf } from "../limits.ts";
import { Http1Request } from "./http1/http1-request.ts";

/** PEM texts. With `ca`, clients must present a certificate that it signed (mTLS). */
export interface TlsOptions {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  readonly ca?: string | Buffer;
}

/** HTTP/2 flow control: a stream of 100 MiB would crawl through the default window of 64 KiB. */
const streamWindowBytes = 1024 * 1024;
export const sessionWindowBytes = 16 * 1024 * 1024;
/** Node counts what a session buffers; at its default of 10 MB big messages kill the session. */
const maxSessionMemoryMegabytes = 256;
/** Silence on a connection after which TCP asks whether its peer is still there. */
const keepAliveMs = 60_000;

/** @throws Error when the texts are no certificate and key, or do not belong together */
export function checkTls(tls: TlsOptions): void {
  loadTls().createSecureContext(contextOf(tls));
}

export function contextOf({ cert, key, ca }: TlsOptions): SecureContextOptions {
  return { cert, key, ...(ca !== undefined && { ca }), minVersion: "TLSv1.2" };
}

export function http1Options(limits: GatewayLimits): http.ServerOptions<typeof Http1Request> {
  return {
    IncomingMessage: Http1Request,
    maxHeaderSize: limits.maxHeaderBytes,
    ...timesOf(limits),
    connectionsCheckingInterval: timeoutCheckMsOf(limits),
    // A peer that vanished without a word would keep its streams open for ever.
    keepAlive: true,
    keepAliveInitialDelay: keepAliveMs,
  };
}

/** Returns the limits that a server can change while it runs. */
export function timesOf(
  limits: GatewayLimits,
): Required<Pick<http.ServerOptions, "headersTimeout" | "requestTimeout" | "keepAliveTimeout">> {
  return {
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: Math.min(limits.idleTimeoutMs, 75_000),
  };
}

export function http2Options(limits: GatewayLimits): http2.ServerOptions {
  return { maxSessionMemory: maxSessionMemoryMegabytes, settings: settingsOf(limits) };
}

/** Returns what each new session is told. */
export function settingsOf(limits: GatewayLimits): http2.Settings {
  return {
    initialWindowSize: streamWindowBytes,
    maxConcurrentStreams: limits.maxConcurrentStreams,
    maxHeaderListSize: limits.maxHeaderBytes,
    enablePush: false,
  };
}
