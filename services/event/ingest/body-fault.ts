/** A body without valid records. The response has the message and code -1. */
export class BodyFault extends Error {
  override readonly name: string = "BodyFault";
}

/** An inflated body exceeds its limit. */
export class LongBodyFault extends BodyFault {
  override readonly name = "LongBodyFault";
}
