import type { Audience } from "../../../gen/engage/channel/v1/task_pb.ts";

/** A user of an audience. */
export interface AudienceMember {
  /** Undefined or empty: the user cannot get messages. */
  readonly pushId: string | undefined;
  /** A positive safe integer, given only if no other user can have the push id. */
  readonly userId?: number | undefined;
  /**
   * Values of the requested properties that the user has, by lower-case name. Times are strings `yyyy-MM-dd HH:mm:ss`.
   */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The kinds of audience that are chosen from the users of a project. */
export type UserChoice = Exclude<Audience["source"], { case: "pushIds" } | { case: undefined }>;

export interface UsersRequest {
  readonly projectId: number;
  readonly choice: UserChoice;
  /** Name of the property that holds the push id. */
  readonly pushIdProperty: string;
  /** Further properties to return, lower case. */
  readonly properties: readonly string[];
}

export interface LookupRequest {
  readonly projectId: number;
  readonly pushIdProperty: string;
  readonly pushIds: readonly string[];
  readonly properties: readonly string[];
}

/**
 * The users of a project. The methods reject with InvalidFieldsError for an invalid request, and with
 * AudienceUnavailableError while the users cannot be read.
 */
export interface AudienceSource {
  /** Yields several users at a time, each `userId` once; the order is the same for the same users. */
  users(request: UsersRequest, signal: AbortSignal): AsyncIterable<readonly AudienceMember[]>;
  /** Finds users by their push ids; the result omits unknown ones. */
  lookup(
    request: LookupRequest,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, AudienceMember["properties"]>>;
}

/** The users are temporarily unavailable. */
export class AudienceUnavailableError extends Error {
  override readonly name = "AudienceUnavailableError";
}
