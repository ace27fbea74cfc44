import { join } from "node:path";
import type { DeadLetterObserver, DeadLetters } from "../../../store/deadletters/deadletters.ts";
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
