/** A fault of one field of a request, as `google.rpc.BadRequest` carries it. */
export interface Violation {
  /** The path of the field, such as `books[2].genre`; `body` for the whole. */
  readonly field: string;
  /** The value and the valid ones, worded to follow the path. */
  readonly description: string;
  /** The cause, in UPPER_SNAKE_CASE; undefined where the error as a whole has one. */
  readonly reason?: string;
}
