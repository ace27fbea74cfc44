import type { PostgresConnection } from "../../sql/postgres/connect.ts";
import { createLateExecutor } from "../../sql/postgres/late-executor.ts";
import { type Migrated, migrateStore } from "../../sql/postgres/migrate.ts";
import { newKey } from "../../sql/values.ts";
import type { DeadLetters } from "../deadletters.ts";
import { createQueue, type QueueOptions, type Writer } from "../queue.ts";
import { toStorable } from "./storable.ts";
import { deadLetterStore } from "./store.ts";

export interface PostgresDeadLettersOptions extends QueueOptions {
  readonly connection: PostgresConnection;
  /** The schema, whose tables `migrate` has created. */
  readonly schema: string;
  /** The name of the list, such as `parser`, to which any number of processes write. */
  readonly list: string;
  /** A part of the list which would exceed this size is followed by another one, as files are. */
  readonly maxBytes: number;
  /** The number of full parts kept beside the one in use. */
  readonly keepFiles: number;
}

/** Writes follow each other, so one connection is enough. */
const maxConnections = 1;

/**
 * Stores dead letters in a PostgreSQL schema, written in the background in the order of the calls.
 * Connects at the first dead letter. While the database is unavailable, dead letters wait.
 */
export function openPostgresDeadLetters(options: PostgresDeadLettersOptions): DeadLetters {
  return createQueue(createWriter(options), options);
}

/**
 * Migrates the tables of dead letters in a schema, which other stores may share, to the version of this
 * program.
 * @throws DeadLettersOpenError when they are newer
 * @throws DeadLettersUnavailableError when the database is unavailable
 */
export async function migrate(connection: PostgresConnection, schema: string): Promise<Migrated> {
  return await migrateStore(deadLetterStore, connection, schema);
}

function createWriter({ connection, schema, list, maxBytes, keepFiles }: PostgresDeadLettersOptions): Writer {
  const writer = newKey();
  const executor = createLateExecutor(
    deadLetterStore,
    { ...connection, maxConnections },
    { schema, maxWaiting: 1 },
  );
  let current: Uint8Array | undefined;
  let storable: Uint8Array = new Uint8Array();
  let number = 0;
  let prunedTo = 0;

  return {
    async write(ndjson) {
      if (current !== ndjson) {
        current = ndjson;
        storable = toStorable(ndjson);
        number++;
      }
      const write = { list, writer, number, maxBytes, ndjson: storable };
      const part = await executor.call("append", 0, [write], undefined);
      const oldest = part - keepFiles;
      if (oldest <= prunedTo) return;
      while (await executor.call("prune", 0, [list, oldest], undefined));
      prunedTo = oldest;
    },
    async close() {
      await executor[Symbol.asyncDispose]();
    },
  };
}
