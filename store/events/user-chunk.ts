import type { Utf8Text } from "../../base/bytes/utf8-text.ts";
import type { StoredUser } from "./scan.ts";

/** Some users of a list, in its order. */
export interface UserChunk extends Iterable<StoredUser> {
  readonly length: number;
  /** Passes the values of the first users to a visitor, which takes less time than an object for each user. */
  visit(visitor: UserVisitor, count: number): void;
}

/** Takes the values of users, one user after the other. A `Utf8Text` is valid until its method returns. */
export interface UserVisitor {
  /** Begins a user. */
  user(userId: bigint, accountId: VisitedText | null, distinctId: VisitedText | null): void;
  /** Adds a property to the user. The value is one of `StoredUser.properties`, whose texts may also be `Utf8Text`. */
  property(name: string, value: unknown): void;
}

export type VisitedText = string | Utf8Text;
