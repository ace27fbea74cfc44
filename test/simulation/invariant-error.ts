/** A rule of the stores does not hold. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}
