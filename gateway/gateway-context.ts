import type { Interceptor } from "@connectrpc/connect";
import type { ReportFault } from "./call/failures.ts";
import type { CallObserver, CallRecord } from "./call/record.ts";
import type { OpenBytes } from "./http/open-bytes.ts";
import type { GatewayLimits } from "./limits.ts";
import type { ServedMethod, ServedService } from "./methods.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { UnknownMembers } from "./rest/json-message.ts";

/**
 * Admits a call or throws UNAUTHENTICATED or PERMISSION_DENIED. Runs before the
 * body is read and sets `record.caller`.
 */
export type Authorize = (record: CallRecord, served: ServedMethod, header: Headers) => void;

/** The state that all protocols of one gateway share. */
export interface GatewayContext {
  readonly services: readonly ServedService[];
  /** Outermost first. They run around every call of every protocol and see errors as handlers throw them. */
  readonly interceptors: readonly Interceptor[];
  readonly limits: GatewayLimits;
  /** Applies to REST and Connect, except to RPCs of contracts that others have published. */
  readonly unknownMembers: UnknownMembers;
  readonly authorize: Authorize;
  readonly observer: CallObserver;
  /** The memory of incomplete request bodies and unread responses. */
  readonly openBytes: OpenBytes;
  /** Streaming calls that are open. */
  readonly streams: OpenStreams;
  readonly reportFault: ReportFault;
  /** Aborts when the time to drain is over, to end open streams. */
  readonly shutdownSignal: AbortSignal;
}
