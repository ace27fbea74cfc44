import type { Audience } from "../../../gen/engage/channel/v1/task_pb.ts";

/** One user of an audience. */
export interface AudienceMember {
  /** Undefined or empty: the user can't be sent to. */
  readonly pushId: string | undefined;
  /** By name, lower case; what is asked for and known. Times are texts `yyyy-MM-dd HH:mm:ss`. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Ways of choosing that need the users of a project. */
export type UserChoice = Exclude<Audience["source"], { case: "pushIds" } | { case: undefined }>;

export interface UsersRequest {
  readonly projectId: number;
  readonly choice: UserChoice;
  /** The property of the push id. */
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
 * Who the users of a project are. Rejects with InvalidFieldsError for what is
 * asked wrongly, and with AudienceUnavailableError while it can't be told.
 */
export interface AudienceSource {
  /** Each user once, some at a time, in an order that is the same for the same users. */
  users(request: UsersRequest, signal: AbortSignal): AsyncIterable<readonly AudienceMember[]>;
  /** Users by their push ids; those that are not known are missing. */
  lookup(
    request: LookupRequest,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, AudienceMember["properties"]>>;
}

/** The users can't be read at present. */
export class AudienceUnavailableError extends Error {
  override readonly name = "AudienceUnavailableError";
}
