import { Code, ConnectError } from "@connectrpc/connect";
import type { TextKey } from "../texts/catalogue.ts";

/** What went wrong, as the server says it, and what to do. */
export interface Fault {
  readonly code: Code;
  readonly message: string;
  readonly advice: TextKey;
}

const advice: Readonly<Partial<Record<Code, TextKey>>> = {
  [Code.Unauthenticated]: "fault.unauthenticated",
  [Code.PermissionDenied]: "fault.denied",
  [Code.Unavailable]: "fault.unavailable",
  [Code.DeadlineExceeded]: "fault.slow",
  [Code.InvalidArgument]: "fault.invalid",
  [Code.FailedPrecondition]: "fault.state",
  [Code.AlreadyExists]: "fault.taken",
  [Code.Aborted]: "fault.changed",
  [Code.NotFound]: "fault.missing",
  [Code.ResourceExhausted]: "fault.exhausted",
  [Code.Unimplemented]: "fault.unimplemented",
};

export function faultOf(error: unknown): Fault {
  // Browsers report a connection that fails as a TypeError without a reason.
  const { code, rawMessage } =
    error instanceof TypeError
      ? new ConnectError(error.message, Code.Unavailable)
      : ConnectError.from(error, Code.Unavailable);
  return { code, message: rawMessage, advice: advice[code] ?? "fault.internal" };
}
