import { judgeOutcome, type Verdict } from "../delivery/call/verdict.ts";
import type { BodyWriting, Exchange, ExchangeOutcome } from "../exchange.ts";
import { signBody } from "../signing.ts";

export interface SessionOptions {
  readonly exchange: Exchange;
  /** Undefined: nothing is signed. */
  readonly secret: string | undefined;
  /** Another secret of the channel, as while one is changed for a new one. */
  readonly secondSecret: string | undefined;
  readonly signatureHeader: string;
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>;
  /** `ops_project_id` of the test messages. */
  readonly projectId: number;
  /** A push id that the receiver names in its fail_list. */
  readonly knownBadPushId: string | undefined;
  /** For one call. */
  readonly timeoutMs: number;
  /** How long the slow body takes. */
  readonly slowBodyMs: number;
  readonly throughput: ThroughputGoal;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: () => number;
  /** A fresh UUID, for `ops_request_id`. */
  readonly randomId: () => string;
  readonly signal: AbortSignal;
}

export interface ThroughputGoal {
  readonly perSecond: number;
  /** Sent at most; fewer when they take longer than `maxMs`. */
  readonly requests: number;
  readonly maxMs: number;
  /** Under way at a time. */
  readonly concurrency: number;
}

/** One call, what came of it, and how the platform would judge that. */
export interface Exchanged {
  /** In words, for the report. */
  readonly what: string;
  /** Values of the caller's own headers, which may be secret, are left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly outcome: ExchangeOutcome;
  /** With strict validation. */
  readonly verdict: Verdict;
  readonly ms: number;
}

export interface SendOptions {
  readonly what: string;
  /** Elements in the body. */
  readonly size: number;
  /** In place of the right one; null: the header is left out. */
  readonly signature?: string | null;
  readonly contentType?: string;
  readonly writing?: BodyWriting;
}

/** What the probes of one run share. */
export interface Session {
  readonly options: SessionOptions;
  send(body: Uint8Array, options: SendOptions): Promise<Exchanged>;
  /** Does the work of this name once, for all probes that ask for it. */
  once<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export function createSession(options: SessionOptions): Session {
  const { exchange, secret, signatureHeader, timeoutMs, monotonicMs } = options;
  const done = new Map<string, Promise<unknown>>();
  const masked = Object.fromEntries(Object.keys(options.headers).map((name) => [name, "(as given)"]));
  return {
    options,
    async send(body, { what, size, signature, contentType = "application/json", writing }) {
      const right = secret === undefined ? null : signBody(secret, body);
      const given = signature === undefined ? right : signature;
      const withHeaders = (own: Readonly<Record<string, string>>) => ({
        "content-type": contentType,
        ...own,
        ...(given !== null && { [signatureHeader]: given }),
      });
      const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeoutMs)]);
      const startedMs = monotonicMs();
      const outcome = await exchange({
        headers: withHeaders(options.headers),
        body,
        signal,
        ...(writing && { writing }),
      });
      const ms = monotonicMs() - startedMs;
      const headers = withHeaders(masked);
      return { what, headers, body, outcome, verdict: judgeOutcome(outcome, size, "strict"), ms };
    },
    once<T>(name: string, work: () => Promise<T>) {
      const known = done.get(name) ?? work();
      done.set(name, known);
      return known as Promise<T>;
    },
  };
}
