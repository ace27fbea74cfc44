import { type CopyCounts, copyTables } from "../sql/copy-tables.ts";
import type { PostgresConnection } from "../sql/postgres/connect.ts";
import { inboxStore as to } from "./postgres/store.ts";
import { inboxStore as from } from "./sqlite/store.ts";

/** The shares of a rate are of processes, and the clock of the file is the database's there. */
const tables = [
  { name: "batches", sequence: { name: "batches_seq" } },
  { name: "bodies" },
  { name: "claims" },
  { name: "work", sequence: { column: "id" } },
  { name: "line", sequence: { column: "position" } },
  { name: "dead", sequence: { column: "id" } },
  { name: "attempts", sequence: { column: "id" } },
  { name: "replays" },
  { name: "books" },
] as const;

/**
 * Copies an inbox from a file into an empty schema.
 * @throws OccupiedError, InboxOpenError, InboxUnavailableError
 */
export async function moveInbox(
  path: string,
  connection: PostgresConnection & { readonly schema: string },
): Promise<CopyCounts> {
  return await copyTables({ path, from, to, connection, tables });
}
