import { join } from "node:path";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { FileHolds } from "../../../base/files/file-holds.ts";
import { SavedQueries } from "../../../gen/engage/analysis/v1/saved_queries_pb.ts";
import type { SavedQueriesOptions } from "../../../services/analysis/saved/saved-queries.ts";
import {
  SavedQueriesOpenError,
  SavedQueriesUnavailableError,
  type SavedQueryStore,
} from "../../../store/savedqueries/savedqueries.ts";
import type { Config } from "../../config/config.ts";
import { createLateService, createLazyResource } from "../lazy.ts";
import { sharedDatabase } from "../shared/databases.ts";

export interface LateSavedQueries extends AsyncDisposable {
  readonly service: ServiceImpl<typeof SavedQueries>;
}

interface LateOptions extends Pick<SavedQueriesOptions, "observer"> {
  readonly admission: () => Promise<SavedQueriesOptions["admission"]>;
  readonly logger: Logger;
  readonly now: () => number;
  readonly holds: FileHolds | undefined;
}

/** Creates the service SavedQueries. Its store is opened by the first call of a caller with access. */
export function createLateSavedQueries(
  config: Config,
  { admission, observer, logger, now, holds }: LateOptions,
): LateSavedQueries {
  const opening = createLazyResource(() => openStore(config, now, holds));
  const store = async (): Promise<SavedQueryStore> => {
    try {
      return await opening.get();
    } catch (error) {
      logger.error({ err: error }, "could not open the store of saved queries");
      if (!(error instanceof SavedQueriesOpenError)) throw error;
      throw new SavedQueriesUnavailableError(error.message, { cause: error });
    }
  };
  return {
    service: createLateService(SavedQueries, async () => {
      const { createSavedQueries } = await import("../../../services/analysis/saved/saved-queries.ts");
      return createSavedQueries({ admission: await admission(), observer, store });
    }),
    [Symbol.asyncDispose]: () => opening[Symbol.asyncDispose](),
  };
}

/** The file of saved queries, where these are not in a database. */
export function savedQueriesFile({ data }: Pick<Config, "data">): string {
  return join(data, "savedqueries", "savedqueries.db");
}

async function openStore(
  config: Config,
  now: () => number,
  holds: FileHolds | undefined,
): Promise<SavedQueryStore> {
  const database = sharedDatabase(config);
  if (database !== undefined) {
    const { openPostgresSavedQueries } = await import("../../../store/savedqueries/postgres/open.ts");
    return openPostgresSavedQueries({ ...database, now });
  }
  const { openSqliteSavedQueries } = await import("../../../store/savedqueries/sqlite/open.ts");
  const { minFreeBytes } = config.webhook.inbox;
  return await openSqliteSavedQueries({ path: savedQueriesFile(config), minFreeBytes, now, holds });
}
