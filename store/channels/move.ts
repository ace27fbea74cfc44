import { type CopyCounts, copyTables } from "../sql/copy-tables.ts";
import type { PostgresConnection } from "../sql/postgres/connect.ts";
import { channelStore as to } from "./postgres/store.ts";
import { channelStore as from } from "./sqlite/store.ts";

const numbered = { column: "seq" };
/** The shares of a rate are of processes, and the clock of the file is the database's there. */
const tables = [
  { name: "channels", sequence: numbered },
  { name: "tasks", sequence: numbered },
  { name: "runs", sequence: numbered },
  { name: "batches" },
  { name: "pages" },
  { name: "payloads" },
  { name: "bodies" },
  { name: "audience" },
  { name: "tallies" },
] as const;

/**
 * Copies push channels from a file into an empty schema.
 * @throws OccupiedError, ChannelsOpenError, ChannelsUnavailableError
 */
export async function moveChannels(
  path: string,
  connection: PostgresConnection & { readonly schema: string },
): Promise<CopyCounts> {
  return await copyTables({ path, from, to, connection, tables });
}
