import type { Interceptor } from "@connectrpc/connect";
import type { ReportFault } from "./call/failures.ts";
import type { CallObserver, CallRecord } from "./call/record.ts";
import type { OpenBytes } from "./http/open-bytes.ts";
import type { GatewayLimits } from "./limits.ts";
import type { ServedMethod, ServedService } from "./methods.ts";
import type { UnknownMembers } from "./rest/json-message.ts";

/**
 * Lets a call in or throws UNAUTHENTICATED or PERMISSION_DENIED. Runs before the
 * body is read and notes who calls in `record.caller`.
 */
export type Authorize = (record: CallRecord, served: ServedMethod, header: Headers) => void;

/** What every protocol of the gateway works with. */
export interface GatewayContext {
  readonly services: readonly ServedService[];
  /** Outermost first. They run around every call, whatever its protocol, and see errors as handlers throw them. */
  readonly interceptors: readonly Interceptor[];
  readonly limits: GatewayLimits;
  /** Over REST and Connect, but for RPCs of contracts that others have published. */
  readonly unknownMembers: UnknownMembers;
  readonly authorize: Authorize;
  readonly observer: CallObserver;
  /** The memory of bodies and answers on their way. */
  readonly openBytes: OpenBytes;
  readonly reportFault: ReportFault;
  /** Aborted when the time to drain is over: open streams end. */
  readonly shutdownSignal: AbortSignal;
}
