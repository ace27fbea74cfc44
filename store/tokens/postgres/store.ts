import type { StoreFaults } from "../../sql/faults.ts";
import type { PostgresStore } from "../../sql/postgres/store.ts";
import { TokensOpenError, TokensUnavailableError } from "../tokens.ts";
import { operations } from "./operations.ts";

const faults: StoreFaults = {
  noun: "token store",
  ifNotDurable: "a revoked token could be valid again after a crash",
  ifDamaged: "restore it",
  OpenError: TokensOpenError,
  UnavailableError: TokensUnavailableError,
  FullError: TokensUnavailableError,
  requestErrors: [RangeError],
};

/**
 * Forward migrations. The version of a schema is the number of migrations it has had (its table
 * `token_version`). A published migration never changes.
 */
const migrations: readonly string[] = [
  `CREATE TABLE {tokens} (
     number bigint GENERATED ALWAYS AS IDENTITY,
     name text COLLATE "C" PRIMARY KEY,
     sha256 text NOT NULL,
     -- A JSON array of ids; null for all.
     projects text,
     per_second double precision,
     burst bigint,
     created text NOT NULL
   );

   -- A key that is another one after each change.
   CREATE TABLE {state} (id integer PRIMARY KEY, key bigint NOT NULL);
   INSERT INTO {state} VALUES (1, 0);`,
];

export const tokenStore: PostgresStore & { readonly operations: typeof operations } = {
  faults,
  operations,
  migrations,
  single: new Set(["key"]),
  tableOf: (name) => (name === "tokens" ? name : `token_${name}`),
};
