import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, RetryInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { InboxUnavailableError, PageCursorError } from "../../../store/inbox/inbox.ts";

/** A field of the request is not valid. The message names it, the value and the valid ones. */
export class FieldFault extends Error {
  override readonly name = "FieldFault";
  readonly field: string;

  constructor(field: string, problem: string) {
    super(`${field} ${problem}`);
    this.field = field;
  }
}

export function foreignPageToken(): FieldFault {
  return new FieldFault("page_token", "is not one of this list with this filter, begin again without it");
}

/** INVALID_ARGUMENT for a FieldFault and for a page that no list has, UNAVAILABLE while the store is away; anything else as it is. */
export function toConnectError(error: unknown): unknown {
  if (error instanceof PageCursorError) return toConnectError(foreignPageToken());
  if (error instanceof FieldFault) {
    const value = { fieldViolations: [{ field: error.field, description: error.message }] };
    return new ConnectError(error.message, Code.InvalidArgument, undefined, [
      { desc: BadRequestSchema, value },
    ]);
  }
  if (!(error instanceof InboxUnavailableError)) return error;
  const value = { retryDelay: { seconds: 5n, nanos: 0 } };
  const details = [{ desc: RetryInfoSchema, value }];
  return new ConnectError("the inbox is away", Code.Unavailable, undefined, details, error);
}

/** Runs a method with its errors mapped. */
export async function answer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toConnectError(error);
  }
}
