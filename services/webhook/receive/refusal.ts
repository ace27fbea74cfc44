/** Why a call is refused as a whole. */
export type RefusalKind =
  | "unknown_channel"
  | "unauthenticated"
  | "bad_body"
  | "too_large"
  | "conflict"
  | "unavailable";

/** The closed list of refusals of `Receive`; the service maps them to codes. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly kind: RefusalKind;
  /** Time after which to retry, for `unavailable`. */
  readonly retryAfterMs: number | undefined;
  /** Details for the log, never for the response. */
  readonly detail: string | undefined;

  constructor(
    kind: RefusalKind,
    message: string,
    options: { readonly retryAfterMs?: number; readonly detail?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
    this.detail = options.detail;
  }
}
