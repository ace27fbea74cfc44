/** A request that must be answered with -1001. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly field: string;

  constructor(field: string, message: string) {
    super(`${field}: ${message}`);
    this.field = field;
  }
}
