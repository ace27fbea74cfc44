/** A fault of the user, shown as one message without a stack. */
export class UserError extends Error {
  override readonly name: string = "UserError";
  readonly exitCode: number = 1;
}

/** An invalid command line, found before the command did anything. */
export class UsageError extends UserError {
  override readonly name = "UsageError";
  override readonly exitCode = 2;
}

/** The command was ended by Ctrl-C. The exit code is that of shells. */
export class StoppedError extends UserError {
  override readonly name = "StoppedError";
  override readonly exitCode = 130;
}
