/** One HTTP call of a receiver: a POST of exact bytes. */
export interface ExchangeRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Ends the call. Aborted by `AbortSignal.timeout` it is a timeout, otherwise the call was cancelled. */
  readonly signal: AbortSignal;
  /** For tests of receivers; left out, the body is written at once. */
  readonly writing?: BodyWriting;
}

/** A body that is written in an unusual way. */
export interface BodyWriting {
  /** Written in pieces at this pace. */
  readonly bytesPerSecond?: number;
  /** The connection is closed behind so many bytes, although the whole length was announced. */
  readonly stopAfterBytes?: number;
}

export interface ExchangeAnswer {
  readonly kind: "answer";
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body, or its beginning, with its content encoding undone. */
  readonly text: string;
  /** The body was longer than what is read of it. */
  readonly isTruncated: boolean;
  /** Why the body can't be read, such as an unknown content encoding; then the text is empty. */
  readonly bodyFault?: string | undefined;
}

/**
 * Why there is no answer. `connection`: it could not be made, or was lost
 * before the answer began. `cut`: it was lost within the answer. `not_http`:
 * what came is not HTTP. `refused_address`: the address may not be dialled.
 * `cancelled`: the caller gave up.
 */
export type ExchangeFailureKind =
  | "timeout"
  | "connection"
  | "cut"
  | "not_http"
  | "refused_address"
  | "cancelled";

export interface ExchangeFailure {
  readonly kind: ExchangeFailureKind;
  readonly message: string;
}

export type ExchangeOutcome = ExchangeAnswer | ExchangeFailure;

/**
 * Calls one URL. Redirects are answers like others, never followed. Never
 * rejects for what the network or the receiver does.
 */
export type Exchange = (request: ExchangeRequest) => Promise<ExchangeOutcome>;
