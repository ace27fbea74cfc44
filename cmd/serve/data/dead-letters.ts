import { join } from "node:path";
import type { DeadLetterObserver, DeadLetters } from "../../../store/deadletters/deadletters.ts";
import type { DeadLetterList } from "../../../store/deadletters/list.ts";
import { openNdjsonDeadLetters } from "../../../store/deadletters/ndjson.ts";
import type { Config } from "../../config/config.ts";
import type { SharedDatabase } from "../shared/databases.ts";

/** The settings of dead letters in the configuration. */
interface DeadLetterSettings {
  /** Relative to the data folder. */
  readonly file: string;
  readonly maxBytes: number;
  readonly keepFiles: number;
}

/**
 * Opens the dead letters of a service.
 * @param list their name in the database
 * @param database undefined for those of the data folder
 */
export async function openDeadLetters(
  { data }: Pick<Config, "data">,
  { file, ...limits }: DeadLetterSettings,
  {
    list,
    database,
    observer,
  }: { list: string; database: SharedDatabase | undefined; observer: DeadLetterObserver },
): Promise<DeadLetters> {
  if (database === undefined) return openNdjsonDeadLetters({ ...limits, file: join(data, file), observer });
  const { openPostgresDeadLetters } = await import("../../../store/deadletters/postgres/open.ts");
  const { url, schema } = database;
  return openPostgresDeadLetters({ ...limits, connection: { url }, schema, list, observer });
}

/**
 * Returns the list of the dead letters of a service, to read them. Nothing is opened before the first call.
 * @param list their name in the database
 * @param file their file, where they are in the data folder
 */
export async function createDeadLetterList({
  file,
  list,
  database,
  byIndex = false,
}: {
  readonly file: string;
  readonly list: string;
  readonly database: SharedDatabase | undefined;
  /** Whether they are counted for each index. */
  readonly byIndex?: boolean;
}): Promise<DeadLetterList> {
  if (database === undefined) {
    const { createNdjsonList } = await import("../../../store/deadletters/ndjson-list.ts");
    return createNdjsonList({ file, byIndex });
  }
  const { createPostgresList } = await import("../../../store/deadletters/postgres/list.ts");
  const { url, schema } = database;
  return createPostgresList({ connection: { url }, schema, list, byIndex });
}
