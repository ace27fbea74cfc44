import { existsSync } from "node:fs";
import type { FileHolds } from "../../../base/files/file-holds.ts";
import {
  type ChannelStore,
  ChannelsOpenError,
  ChannelsUnavailableError,
} from "../../../store/channels/channels.ts";
import type { Config } from "../../config/config.ts";
import { type ChannelPlace, channelPlace } from "../../config/resolve.ts";
import { markFile, markOf } from "../data/marks.ts";

/**
 * Reports whether tasks may be stored that continue without a call. A server without such tasks does not open the
 * store.
 */
export function mayHaveTasks(config: Config, place: ChannelPlace): boolean {
  if (place.driver === "postgres") return true;
  return existsSync(place.file) || existsSync(markFile(config, "channels", place.file));
}

/** @throws ChannelsUnavailableError for any reason, which its message gives */
export async function openChannelStore(
  config: Config,
  now: () => number,
  holds?: FileHolds,
): Promise<ChannelStore> {
  const place = channelPlace(config);
  const retentionMs = (): number => config.channel.retentionMs;
  try {
    if (place.driver === "sqlite") {
      const { openSqliteChannels } = await import("../../../store/channels/sqlite/open.ts");
      const { file: path, minFreeBytes } = place;
      const mark = markOf(config, "channels", path);
      return await openSqliteChannels({
        path,
        minFreeBytes,
        retentionMs,
        now,
        mark,
        holds,
      });
    }
    const { openPostgresChannels } = await import("../../../store/channels/postgres/open.ts");
    return await openPostgresChannels({ ...place, retentionMs, now });
  } catch (error) {
    if (!(error instanceof ChannelsOpenError)) throw error;
    throw new ChannelsUnavailableError(error.message, { cause: error });
  }
}
