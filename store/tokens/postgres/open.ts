import { type Clock, systemClock } from "../../../base/async/clock.ts";
import type { PostgresConnection } from "../../sql/postgres/connect.ts";
import { createLateExecutor } from "../../sql/postgres/late-executor.ts";
import { type Migrated, migrateStore } from "../../sql/postgres/migrate.ts";
import { type FollowedTokens, type TokenStore, TokensUnavailableError } from "../tokens.ts";
import type { TokenState } from "./operations.ts";
import { tokenStore } from "./store.ts";

export interface PostgresTokensOptions extends PostgresConnection {
  /** The schema, whose tables `migrate` has created. */
  readonly schema: string;
  readonly clock?: Pick<Clock, "wait">;
}

const maxConnections = 1;
const maxWaiting = 100;
const statementTimeoutMs = 2_000;
/** The time between two looks for changes. */
const pollMs = 500;

/** Opens the tokens in a PostgreSQL schema, which any number of processes may share. Connects when it is first used. */
export function openPostgresTokens(options: PostgresTokensOptions): TokenStore {
  const { schema, clock = systemClock } = options;
  const stop = new AbortController();
  const connection = { statementTimeoutMs, ...options, maxConnections };
  const executor = createLateExecutor(tokenStore, connection, { schema, maxWaiting });
  async function read(): Promise<TokenState> {
    return await executor.call("read", 0, [], undefined);
  }
  async function readAgain(known: TokenState | undefined): Promise<TokenState> {
    if (known === undefined) return await read();
    const key = await executor.call("key", 0, [], undefined);
    return key === known.key ? known : await read();
  }
  return {
    list: async () => (await read()).tokens,
    add: (token) => executor.call("add", 0, [token], undefined),
    remove: (name) => executor.call("remove", 0, [name], undefined),
    follow: (failed) => follow(readAgain, clock, stop.signal, failed),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await executor[Symbol.asyncDispose]();
    },
  };
}

/**
 * Migrates the tables of tokens in a schema, which other stores may share, to the version of this program.
 * @throws TokensOpenError when they are newer
 * @throws TokensUnavailableError when the database is unavailable
 */
export async function migrate(connection: PostgresConnection, schema: string): Promise<Migrated> {
  return await migrateStore(tokenStore, connection, schema);
}

async function follow(
  read: (known: TokenState | undefined) => Promise<TokenState>,
  clock: Pick<Clock, "wait">,
  closed: AbortSignal,
  failed: (error: unknown) => void,
): Promise<FollowedTokens> {
  const stop = new AbortController();
  const ended = AbortSignal.any([stop.signal, closed]);
  let known: TokenState | undefined;
  let failure: unknown;
  async function look(): Promise<void> {
    try {
      known = await read(known);
      failure = undefined;
    } catch (error) {
      if (failure === undefined && !ended.aborted) failed(error);
      failure = error;
    }
  }
  async function poll(): Promise<void> {
    while (!ended.aborted) {
      await clock.wait(pollMs, ended);
      if (!ended.aborted) await look();
    }
  }
  await look();
  if (failure !== undefined && !(failure instanceof TokensUnavailableError)) throw failure;
  void poll();
  return {
    current() {
      if (known !== undefined) return known.tokens;
      throw new TokensUnavailableError("the tokens could not be read yet", { cause: failure });
    },
    [Symbol.dispose]: () => stop.abort(),
  };
}
