import { setTimeout as wait } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { startTimeLimit } from "../../../../base/async/abort.ts";
import { backoffMs, type Delays, halfJitter } from "../../../../base/async/backoff.ts";
import {
  type Breaker,
  type BreakerPass,
  type BreakerState,
  type CallEnd,
  createBreaker,
} from "../../../../base/async/breaker.ts";
import {
  ContentEncodingError,
  decodePieces,
  readContentEncoding,
} from "../../../../base/net/content-encoding.ts";
import { describeSystemError } from "../../../../base/text/system-error.ts";
import { AnalysisRefusal, returnCodes } from "../../refusal/refusal.ts";
import type { PlatformConfig } from "../config.ts";
import { type Connections, openConnections, type RequestFault } from "./connections.ts";
import type { Redactor } from "./redact.ts";

export interface UpstreamCall {
  /** The path below the base URL, for example `/open/event-analyze`. */
  readonly path: string;
  /** The parameters without a token. */
  readonly search: URLSearchParams;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
  /** Whether the time limit is for the whole response or for its head. */
  readonly timed: "answer" | "head";
  /** The time that the caller allows, if it is longer than the configured one. */
  readonly allowedMs: number;
  /** Headers besides those of every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface UpstreamResponse {
  readonly status: number;
  /** The lower-case media type without parameters; empty if there is none. */
  readonly mediaType: string;
  /** The content type as received. */
  readonly contentType: string;
  /** The content length; undefined if it is unknown or that of an encoded body. */
  readonly contentLength: number | undefined;
  /** Whether a truncated body can be detected. */
  readonly isEndMarked: boolean;
  /**
   * The body with its content encoding decoded. It can be read once.
   * @throws AnalysisRefusal, or the reason of the signal
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Counts the call as a failure of the platform, however its body ends. */
  markFailed(): void;
  /** Must be called at the end. Discards what was not read. */
  release(): void;
}

/** Sends queries to the platform. */
export interface Upstream extends AsyncDisposable {
  /** @throws AnalysisRefusal, or the reason of the signal */
  call(call: UpstreamCall): Promise<UpstreamResponse>;
}

/** Observes the calls to the platform. Its methods must not throw. */
export interface UpstreamObserver {
  /** Called when a query is sent again. */
  retried?(error: Error): void;
  breakerChanged?(state: BreakerState["kind"]): void;
}

export interface UpstreamDeps {
  readonly redactor: Redactor;
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  readonly observer: UpstreamObserver;
  /** The content of the file in `tls.ca`. */
  readonly ca: string | undefined;
}

/** The maximum delay is unlimited, since the number of retries is configured. */
const retryDelays: Delays = { minDelayMs: 100, maxDelayMs: Number.POSITIVE_INFINITY };

/**
 * The least time after which a call that exceeded its caller's own time limit counts as a failure of the platform. A
 * shorter limit may be too short for the query.
 */
const silenceMs = 30_000;

export function openUpstream(config: PlatformConfig, deps: UpstreamDeps): Upstream {
  const base = new URL(config.baseUrl);
  const connections = openConnections({
    origin: base.origin,
    ca: deps.ca,
    maxConnections: config.maxConnections,
    connectTimeoutMs: config.connectTimeoutMs,
    bodyTimeoutMs: config.idleTimeoutMs,
  });
  const breaker = createBreaker(config.breaker, deps.now, (state) => deps.observer.breakerChanged?.(state));
  const prefix = base.pathname.replace(/\/+$/, "");
  return {
    async call(call) {
      call.signal.throwIfAborted();
      const pass = enter(breaker);
      const startedMs = deps.now();
      const timeoutMs = Math.max(config.timeoutMs, call.allowedMs);
      const deadline = startTimeLimit(
        timeoutMs,
        () => new AnalysisRefusal(returnCodes.timeout, `the platform did not respond within ${timeoutMs} ms`),
        call.signal,
      );
      const faultOf = (error: unknown): unknown =>
        deadline.signal.aborted ? deadline.signal.reason : faultOfConnection(error, config, deps.redactor);
      const end = (outcome: CallEnd["kind"]): void => {
        deadline[Symbol.dispose]();
        const isSilent = isTimeout(call.signal) && deps.now() - startedMs >= silenceMs;
        pass.end(call.signal.aborted && !isSilent ? "none" : outcome);
      };
      const search = new URLSearchParams(call.search);
      search.set("token", config.token);
      const path = `${prefix}${call.path}?${search}`;
      try {
        const data = await postWithRetries(connections, config, deps, {
          ...call,
          path,
          signal: deadline.signal,
        });
        pass.alive();
        if (call.timed === "head") deadline.stopTimer();
        return responseOf(data, faultOf, end);
      } catch (error) {
        end("failed");
        throw faultOf(error);
      }
    },
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };
}

function isTimeout({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof AnalysisRefusal && reason.returnCode === returnCodes.timeout;
}

function enter(breaker: Breaker): BreakerPass {
  const pass = breaker.enter();
  if (pass !== undefined) return pass;
  const waitMs = breaker.waitMs();
  const seconds = Math.ceil(waitMs / 1_000);
  const next = seconds === 0 ? "one query is testing it" : `the next attempt is in ${seconds} s`;
  throw new AnalysisRefusal(
    returnCodes.unavailable,
    `the platform has failed several times in a row and is not called for now: ${next}`,
    { retryAfterMs: Math.max(1_000, waitMs) },
  );
}

type PostCall = Parameters<Connections["post"]>[0];

async function postWithRetries(
  connections: Connections,
  { retries }: PlatformConfig,
  { random, observer, redactor }: UpstreamDeps,
  request: PostCall,
): Promise<Dispatcher.ResponseData> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await connections.post(request);
    } catch (error) {
      request.signal.throwIfAborted();
      const { isWithoutResponse, cause } = error as RequestFault;
      if (!isWithoutResponse || attempt === retries) throw cause;
      observer.retried?.(redactor.error(cause));
      const pauseMs = halfJitter(backoffMs(attempt + 1, retryDelays), random());
      await wait(pauseMs, undefined, { signal: request.signal });
    }
  }
}

function responseOf(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  faultOf: (error: unknown) => unknown,
  end: (outcome: CallEnd["kind"]) => void,
): UpstreamResponse {
  let outcome: CallEnd["kind"] = "none";
  let isBlamed = false;
  // An error may come after the last piece was read or the body was discarded. The reader gets all other errors.
  body.on("error", () => {});
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield* decodePieces(body, readContentEncoding(encoding));
      outcome = "ok";
    } catch (error) {
      outcome = "failed";
      throw faultOf(error);
    }
  }
  const contentType = textOf(headers["content-type"]);
  const encoding = textOf(headers["content-encoding"]);
  const length = headers["content-length"];
  return {
    status: statusCode,
    contentType,
    mediaType: contentType.split(";", 1)[0]!.trim().toLowerCase(),
    contentLength: length === undefined || encoding !== "" ? undefined : Number(length),
    isEndMarked: length !== undefined || /\bchunked\b/i.test(textOf(headers["transfer-encoding"])),
    body: read(),
    markFailed() {
      isBlamed = true;
    },
    release() {
      if (!body.readableEnded) body.destroy();
      end(isBlamed ? "failed" : outcome);
    },
  };
}

function textOf(header: string | string[] | undefined): string {
  return Array.isArray(header) ? header.join(", ") : (header ?? "");
}

/** Error texts by the codes of undici. */
const wordings: Readonly<Record<string, (config: PlatformConfig) => string>> = {
  UND_ERR_CONNECT_TIMEOUT: ({ connectTimeoutMs }) =>
    `the platform cannot be reached: no connection within ${connectTimeoutMs} ms`,
  UND_ERR_BODY_TIMEOUT: ({ idleTimeoutMs }) => `the platform's response stalled for ${idleTimeoutMs} ms`,
  UND_ERR_SOCKET: () => "the platform's response was cut off",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: () => "the platform's response has another length than announced",
  ECONNREFUSED: () => "the platform cannot be reached: connection refused",
  ECONNRESET: () => "the platform's response was cut off",
};

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const untrustedCodes: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

function faultOfConnection(error: unknown, config: PlatformConfig, redactor: Redactor): unknown {
  if (error instanceof AnalysisRefusal) return error;
  if (error instanceof ContentEncodingError) {
    return new AnalysisRefusal(returnCodes.unavailable, `the platform's ${error.message}`);
  }
  const code = String((error as NodeJS.ErrnoException).code ?? (error as Error).name);
  const untrusted = untrustedCodes.has(code)
    ? `the platform's certificate is not trusted (${code}): name its authority in analysis.platform.tls.ca`
    : undefined;
  const message =
    untrusted ??
    wordings[code]?.(config) ??
    `the exchange with the platform failed: ${describeSystemError(error) ?? code}`;
  return new AnalysisRefusal(returnCodes.unavailable, message, { cause: redactor.error(error) });
}
