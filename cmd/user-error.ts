/** A fault of the one who typed the command: shown as one message, without a stack. */
export class UserError extends Error {
  override readonly name = "UserError";
}
