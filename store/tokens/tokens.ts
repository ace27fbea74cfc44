/**
 * Stores the query tokens which commands create while servers run. `file.ts` implements the port for
 * one data folder, `postgres/` for replicas which share a database.
 */
export interface TokenStore extends AsyncDisposable {
  /**
   * Returns all tokens in the order in which they were added.
   * @throws TokensOpenError, TokensUnavailableError
   */
  list(): Promise<readonly StoredToken[]>;
  /**
   * Adds a token. Returns false when there is one of this name.
   * @throws TokensOpenError, TokensUnavailableError
   */
  add(token: StoredToken): Promise<boolean>;
  /**
   * Removes the token with this name. Returns false when no token has it.
   * @throws TokensOpenError, TokensUnavailableError
   */
  remove(name: string): Promise<boolean>;
  /**
   * Follows the changes that any process makes, until it is disposed of.
   * @param failed called when the tokens can't be read again; those that were read last remain valid
   * @throws TokensOpenError
   */
  follow(failed: (error: unknown) => void): Promise<FollowedTokens>;
}

export interface FollowedTokens extends Disposable {
  /**
   * Returns the tokens with all changes of more than a second ago; the same array until the next change.
   * @throws TokensUnavailableError when they could not be read since the start
   */
  current(): readonly StoredToken[];
}

/** A stored token, which contains its hash instead of the token itself. */
export interface StoredToken {
  readonly name: string;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
  /** Ids; `*` stands for all projects. */
  readonly projects: "*" | readonly number[];
  readonly rateLimit?: { readonly perSecond: number; readonly burst: number } | undefined;
  /** ISO 8601 */
  readonly created: string;
}

/** The store can't be read or changed at the moment. */
export class TokensUnavailableError extends Error {
  override readonly name = "TokensUnavailableError";
}

/** The store can't be opened, and trying again does not help. */
export class TokensOpenError extends Error {
  override readonly name = "TokensOpenError";
}
