/** An error with an SQLSTATE. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the error that PostgreSQL would return for one of SQLite's. */
export function toServerError(error: unknown): Error {
  if (error instanceof ServerError || !(error instanceof Error)) return error as Error;
  if (/UNIQUE constraint/.test(error.message)) return new ServerError("23505", error.message);
  return error;
}
