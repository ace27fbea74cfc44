/** A body that is no records; the message goes to the sender with code -1. */
export class BodyFault extends Error {
  override readonly name: string = "BodyFault";
}

/** A body that is inflated to more than it may be. */
export class LongBodyFault extends BodyFault {
  override readonly name = "LongBodyFault";
}
