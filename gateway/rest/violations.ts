import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.ts";

/** More faults of one body, or of one query, are not reported: a query of 14 KiB could have 3,500. */
export const maxViolations = 20;

/** One bad field of a request, as `google.rpc.BadRequest` carries it. */
export interface Violation {
  /** Proto path of the field, for example `books[2].genre`. */
  readonly field: string;
  /** What is wrong with it, with the value that was found and what is valid. */
  readonly description: string;
  /** The cause, in UPPER_SNAKE_CASE. */
  readonly reason: string;
}

/** INVALID_ARGUMENT whose message names the first violation and whose details have all. */
export function badRequest(violations: readonly Violation[]): ConnectError {
  const [first] = violations;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
  const message =
    first === undefined ? "the request is not valid" : `${first.field}: ${first.description}${more}`;
  return new ConnectError(message, Code.InvalidArgument, undefined, [
    { desc: BadRequestSchema, value: { fieldViolations: violations.map((violation) => ({ ...violation })) } },
  ]);
}
