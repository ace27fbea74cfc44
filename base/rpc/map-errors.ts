import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { InvalidFieldsError } from "./invalid-fields.ts";

/** INVALID_ARGUMENT that names all fields, in its message and as `google.rpc.BadRequest`. */
export function invalidArgument({ message, violations }: InvalidFieldsError): ConnectError {
  const fieldViolations = violations.map(({ field, description }) => ({
    field,
    description: `${field} ${description}`,
  }));
  return new ConnectError(message, Code.InvalidArgument, undefined, [
    { desc: BadRequestSchema, value: { fieldViolations } },
  ]);
}

/** An error with the time after which the same call may succeed, as `google.rpc.RetryInfo`. */
export function retryLater(
  message: string,
  retryAfterMs: number,
  { code = Code.Unavailable, cause }: { readonly code?: Code; readonly cause?: unknown } = {},
): ConnectError {
  const details = [{ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(retryAfterMs) } }];
  return new ConnectError(message, code, undefined, details, cause);
}

/** How the errors of a service become errors of calls. */
export interface ErrorMapping {
  /** Runs a method with its errors mapped. */
  mapErrors<T>(method: () => Promise<T>): Promise<T>;
  toConnectError(error: unknown): unknown;
}

const unavailableMs = 5_000;

/**
 * Maps InvalidFieldsError to INVALID_ARGUMENT, and what `translate` knows.
 * @param translate returns the invalid fields, what is unavailable for now, or
 * undefined for an error that stays as it is
 */
export function createErrorMapping(
  translate: (error: unknown) => InvalidFieldsError | string | undefined,
): ErrorMapping {
  const toConnectError = (error: unknown): unknown => {
    const found = error instanceof InvalidFieldsError ? error : translate(error);
    if (found === undefined) return error;
    return typeof found === "string"
      ? retryLater(found, unavailableMs, { cause: error })
      : invalidArgument(found);
  };
  return {
    toConnectError,
    async mapErrors(method) {
      try {
        return await method();
      } catch (error) {
        throw toConnectError(error);
      }
    },
  };
}
