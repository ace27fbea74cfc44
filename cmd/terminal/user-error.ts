/** A fault of the one who typed the command: shown as one message, without a stack. */
export class UserError extends Error {
  override readonly name: string = "UserError";
  readonly exitCode: number = 1;
}

/** What was typed can't be meant, before anything was done. */
export class UsageError extends UserError {
  override readonly name = "UsageError";
  override readonly exitCode = 2;
}

/** Ended early by Ctrl-C; the code is that of shells. */
export class StoppedError extends UserError {
  override readonly name = "StoppedError";
  override readonly exitCode = 130;
}
