import { Code, ConnectError } from "@connectrpc/connect";
import { quoteText } from "../../base/text/quote.ts";
import { BadRequestSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import {
  ChannelsFullError,
  ChannelsUnavailableError,
  PageCursorError,
} from "../../store/channels/channels.ts";
import { AudienceUnavailableError } from "./audience/source.ts";

/** What is wrong with one field. */
export interface Violation {
  /** Path of the field in the request, such as `channel.delivery.batch_size`. */
  readonly field: string;
  /** Names the value and the valid ones; reads on behind the field. */
  readonly problem: string;
}

/** Of one request, and of the reasons of a run; more would not be read by anybody. */
export const maxViolations = 50;

/** Fields of the request that are not valid, one at least. */
export class InvalidFieldsError extends Error {
  override readonly name = "InvalidFieldsError";
  readonly violations: readonly Violation[];

  /** @param violations of which the first are kept, as many as are shown */
  constructor(violations: readonly Violation[]) {
    const kept = violations.slice(0, maxViolations);
    super(kept.map(({ field, problem }) => `${field} ${problem}`).join("; "));
    this.violations = kept;
  }
}

/** @throws InvalidFieldsError unless there are none */
export function refuseViolations(violations: readonly Violation[]): void {
  if (violations.length > 0) throw new InvalidFieldsError(violations);
}

export function refuseField(field: string, problem: string): never {
  throw new InvalidFieldsError([{ field, problem }]);
}

/** What is wrong with the items of a list, until as much is found as is shown. */
export function eachViolation<T>(
  items: readonly T[],
  check: (item: T, index: number) => readonly Violation[],
): readonly Violation[] {
  const found: Violation[] = [];
  for (let i = 0; i < items.length && found.length < maxViolations; i++) found.push(...check(items[i]!, i));
  return found;
}

/** Violations of a part, with the place of the part before their fields. */
export function under(place: string, violations: readonly Violation[]): readonly Violation[] {
  return violations.map(({ field, problem }) => ({
    field: [place, field].filter((part) => part !== "").join(field.startsWith("[") ? "" : "."),
    problem,
  }));
}

export function notFound(field: string, id: string): ConnectError {
  return new ConnectError(`there is no ${field} ${quoteText(id)}`, Code.NotFound);
}

export function precondition(message: string): ConnectError {
  return new ConnectError(message, Code.FailedPrecondition);
}

/** Runs a method with its errors mapped: INVALID_ARGUMENT names all fields, UNAVAILABLE says that the store is away. */
export async function answer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toConnectError(error);
  }
}

export function toConnectError(error: unknown): unknown {
  if (error instanceof PageCursorError) return toConnectError(foreignPageToken());
  if (error instanceof InvalidFieldsError) {
    const { message, violations } = error;
    const value = {
      fieldViolations: violations.map(({ field, problem }) => ({
        field,
        description: `${field} ${problem}`,
      })),
    };
    return new ConnectError(message, Code.InvalidArgument, undefined, [{ desc: BadRequestSchema, value }]);
  }
  const away = awayOf(error);
  if (away === undefined) return error;
  const value = { retryDelay: { seconds: 5n, nanos: 0 } };
  const details = [{ desc: RetryInfoSchema, value }];
  return new ConnectError(away, Code.Unavailable, undefined, details, error);
}

/** What can't be had at present; undefined for another error. */
function awayOf(error: unknown): string | undefined {
  if (error instanceof ChannelsFullError) return "the store of channels has no room";
  if (error instanceof ChannelsUnavailableError) return "the store of channels is away";
  return error instanceof AudienceUnavailableError ? "the users cannot be read at present" : undefined;
}

export function foreignPageToken(): InvalidFieldsError {
  const problem = "is not one of this list with this filter, begin again without it";
  return new InvalidFieldsError([{ field: "page_token", problem }]);
}
