import { join } from "node:path";
import { sha256Hex } from "../../../base/text/digest.ts";
import { createTokenList, type TokenList } from "../../../services/analysis/admission/tokens.ts";
import { AnalysisRefusal, returnCodes } from "../../../services/analysis/refusal/refusal.ts";
import {
  type FollowedTokens,
  type StoredToken,
  type TokenStore,
  TokensUnavailableError,
} from "../../../store/tokens/tokens.ts";
import type { Config } from "../../config/config.ts";
import { isLoopback } from "../../config/listen.ts";
import { demo } from "../../config/rules/rules.ts";
import { asUserError } from "../data/user-errors.ts";
import type { ReloadablePart } from "../reload/reload.ts";
import { sharedDatabase } from "../shared/databases.ts";

/** A time after which an unavailable database is asked again. */
const retryAfterMs = 1_000;

/** Opens the tokens that commands create. */
export async function openTokenStore(config: Config): Promise<TokenStore> {
  const database = sharedDatabase(config);
  if (database !== undefined) {
    const { openPostgresTokens } = await import("../../../store/tokens/postgres/open.ts");
    return openPostgresTokens(database);
  }
  const { openFileTokens } = await import("../../../store/tokens/file.ts");
  return openFileTokens({ file: join(config.data, "tokens.json") });
}

/** Reads or changes the tokens that commands create. @throws UserError */
export async function withTokenStore<T>(config: Config, use: (tokens: TokenStore) => Promise<T>): Promise<T> {
  await using tokens = await openTokenStore(config);
  return await asUserError(() => use(tokens));
}

export interface FollowedTokenList extends TokenList, AsyncDisposable {
  /** Changes the tokens of the configuration. */
  readonly part: ReloadablePart;
  /**
   * Returns all tokens, without their hashes.
   * @throws TokensUnavailableError
   */
  list(): readonly ListedToken[];
}

export interface ListedToken extends Pick<StoredToken, "name" | "projects" | "rateLimit"> {
  /** ISO 8601; undefined for tokens of the configuration. */
  readonly created: string | undefined;
}

/**
 * Opens the tokens of the configuration and those that commands create, which may change while the server runs.
 * @throws UserError when the latter cannot be read
 */
export async function openTokenList(
  config: Config,
  failed: (error: unknown) => void,
): Promise<FollowedTokenList> {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await openTokenStore(config));
  const followed = opened.use(await asUserError(() => store.follow(failed)));
  const created = createdTokens(followed);
  let rules = config.analysis.tokens;
  let configured = configuredTokens(rules);
  // The configuration may not contain this token, while those of commands are not checked.
  const refused = isLoopback(config.listen.host) ? undefined : demo.token;
  const stack = opened.move();
  return {
    find: (token) => configured.find(token) ?? (token === refused ? undefined : created.find(token)),
    list: () => [
      ...rules.map((token) => listedAs(token, undefined)),
      ...followed.current().map((token) => listedAs(token, token.created)),
    ],
    part: {
      name: "tokens",
      async prepare({ analysis }) {
        const next = configuredTokens(analysis.tokens);
        return {
          apply() {
            rules = analysis.tokens;
            configured = next;
          },
        };
      },
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function listedAs(
  { name, projects, rateLimit }: Omit<ListedToken, "created">,
  created: string | undefined,
): ListedToken {
  return { name, projects, rateLimit, created };
}

function configuredTokens(rules: Config["analysis"]["tokens"]): TokenList {
  return createTokenList(
    rules.map(({ name, token, sha256, projects, rateLimit }) => ({
      name,
      projects,
      rateLimit,
      sha256: sha256 ?? sha256Hex(token as string),
    })),
  );
}

function createdTokens(followed: FollowedTokens): TokenList {
  let tokens: readonly StoredToken[] = [];
  let list = createTokenList(tokens);
  return {
    find(token) {
      const current = currentOf(followed);
      if (current !== tokens) list = createTokenList(current);
      tokens = current;
      return list.find(token);
    },
  };
}

/** @throws AnalysisRefusal while the tokens cannot be read */
function currentOf(followed: FollowedTokens): readonly StoredToken[] {
  try {
    return followed.current();
  } catch (error) {
    if (!(error instanceof TokensUnavailableError)) throw error;
    const message = "the tokens are temporarily unavailable";
    throw new AnalysisRefusal(returnCodes.busy, message, { retryAfterMs, cause: error });
  }
}
