import { signBody } from "../../../base/net/signature.ts";
import { compileMask, type Mask } from "../../../base/text/mask-secrets.ts";
import type { BodyWriting, Exchange, ExchangeOutcome } from "../exchange/exchange.ts";
import { judgeOutcome, type Verdict } from "../judge-reply/judge-reply.ts";

export interface SessionOptions {
  readonly exchange: Exchange;
  /** The secret of the channel; undefined: batches are not signed. */
  readonly secret: string | undefined;
  /** A second secret that the receiver accepts, as during a change of the secret. */
  readonly secondSecret: string | undefined;
  readonly signatureHeader: string;
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>;
  /** `ops_project_id` of the test messages. */
  readonly projectId: number;
  /** A push id that the receiver lists in `fail_list`. */
  readonly knownBadPushId: string | undefined;
  /** Limit of one call. */
  readonly timeoutMs: number;
  /** How long the probe of slow bodies takes to send one. */
  readonly slowBodyMs: number;
  readonly throughput: ThroughputGoal;
  /** Monotonic milliseconds. */
  readonly monotonicMs: () => number;
  /** Returns a new UUID, for `ops_request_id`. */
  readonly randomId: () => string;
  readonly signal: AbortSignal;
}

export interface ThroughputGoal {
  readonly perSecond: number;
  /** Requests to send; fewer are sent if they take longer than `maxMs`. */
  readonly requests: number;
  readonly maxMs: number;
  /** Requests that are in flight at a time. */
  readonly concurrency: number;
}

/** One call, its outcome, and how the platform judges it. */
export interface Exchanged {
  /** A description of the request, for the report. */
  readonly what: string;
  /** Headers of the request; the values of `SessionOptions.headers` are masked, since they may be secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly outcome: ExchangeOutcome;
  /** The verdict of strict validation. */
  readonly verdict: Verdict;
  readonly ms: number;
}

export interface SendOptions {
  readonly what: string;
  /** Number of elements in the body. */
  readonly size: number;
  /** Sent instead of the correct signature; null: the header is omitted. */
  readonly signature?: string | null;
  readonly contentType?: string;
  readonly writing?: BodyWriting;
}

/** The state that the probes of one run share. */
export interface Session {
  readonly options: SessionOptions;
  /** Masks the secrets of the options in what the receiver sends back. */
  readonly mask: Mask;
  send(body: Uint8Array, options: SendOptions): Promise<Exchanged>;
  /** Runs the work with this name once and returns its result to all probes that ask for it. */
  once<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export function createSession(options: SessionOptions): Session {
  const { exchange, secret, secondSecret, signatureHeader, timeoutMs, monotonicMs } = options;
  const mask = compileMask([secret ?? "", secondSecret ?? "", ...Object.values(options.headers)]);
  const done = new Map<string, Promise<unknown>>();
  const masked = Object.fromEntries(Object.keys(options.headers).map((name) => [name, "(as given)"]));
  return {
    options,
    mask,
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
      return { what, headers, body, outcome, verdict: judgeOutcome(outcome, size, "strict", mask), ms };
    },
    once<T>(name: string, work: () => Promise<T>) {
      const known = done.get(name) ?? work();
      done.set(name, known);
      return known as Promise<T>;
    },
  };
}
