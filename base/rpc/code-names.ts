import type { Code } from "@connectrpc/connect";

/** Names by number, as in https://grpc.github.io/grpc/core/md_doc_statuscodes.html. */
export const codeNames = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;

export type CodeName = (typeof codeNames)[number];

/** Returns the name of a code in logs, metrics and JSON; undefined is OK. */
export function codeName(code: Code | undefined): CodeName {
  return codeNames[code ?? 0] ?? "UNKNOWN";
}
