import { Code, ConnectError } from "@connectrpc/connect";
import type { Violation } from "../../base/rpc/violation.ts";
import { countOf } from "../../base/text/count.ts";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.ts";

/** More faults of one body, or of one query, are not reported: a query of 14 KiB could have 3,500. */
export const maxViolations = 20;

/** INVALID_ARGUMENT whose message names the first violation and whose details have all. */
export function badRequest(violations: readonly Violation[]): ConnectError {
  const [first] = violations;
  const more = violations.length > 1 ? ` (and ${countOf(violations.length - 1, "more fault")})` : "";
  const message =
    first === undefined ? "the request is not valid" : `${first.field}: ${first.description}${more}`;
  return new ConnectError(message, Code.InvalidArgument, undefined, [
    { desc: BadRequestSchema, value: { fieldViolations: violations.map((violation) => ({ ...violation })) } },
  ]);
}
