/** A body that is no records; the message goes to the sender with code -1. */
export class BodyFault extends Error {
  override readonly name = "BodyFault";
}
