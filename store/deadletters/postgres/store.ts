import type { StoreFaults } from "../../sql/faults.ts";
import type { PostgresStore } from "../../sql/postgres/store.ts";
import { DeadLettersOpenError, DeadLettersUnavailableError } from "../deadletters.ts";
import { operations } from "./operations.ts";

const faults: StoreFaults = {
  noun: "dead letter store",
  ifNotDurable: "a crash would lose dead letters",
  ifDamaged: "restore it",
  OpenError: DeadLettersOpenError,
  UnavailableError: DeadLettersUnavailableError,
  FullError: DeadLettersUnavailableError,
  requestErrors: [RangeError],
};

/**
 * Forward migrations. The version of a schema is the number of migrations it has had (its table
 * `deadletter_version`). A published migration never changes.
 */
const migrations: readonly string[] = [
  `-- A list is what one file with its rotated files is elsewhere, and a part is what one file is.
   CREATE TABLE {deadletters} (
     list text COLLATE "C" NOT NULL,
     part bigint NOT NULL,
     number bigint GENERATED ALWAYS AS IDENTITY,
     content json NOT NULL,
     PRIMARY KEY (list, part, number)
   );

   -- The part in use of each list, and its bytes.
   CREATE TABLE {lists} (
     list text COLLATE "C" PRIMARY KEY,
     part bigint NOT NULL,
     bytes bigint NOT NULL
   ) WITH (fillfactor = 50);

   -- The number of the last write of each process, so that a repeated write is stored once.
   CREATE TABLE {writers} (
     list text COLLATE "C" NOT NULL,
     writer bigint NOT NULL,
     number bigint NOT NULL,
     written timestamptz NOT NULL,
     PRIMARY KEY (list, writer)
   ) WITH (fillfactor = 50);`,
];

export const deadLetterStore: PostgresStore & { readonly operations: typeof operations } = {
  faults,
  operations,
  migrations,
  tableOf: (name) => (name === "deadletters" ? name : `deadletter_${name}`),
};
