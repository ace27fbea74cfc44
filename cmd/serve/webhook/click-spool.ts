import { join } from "node:path";
import type { Logger } from "pino";
import { loadCursor } from "../../../store/records/forward-cursor.ts";
import { openRecordSpool, type RecordSpool } from "../../../store/records/record-spool.ts";
import { findMissing } from "../../../store/records/spool-mark.ts";
import type { Config } from "../../config/config.ts";
import { markFile } from "../data/marks.ts";
import { describeMissing } from "../event/losses.ts";

/**
 * Opens the spool of clicks. One that is forwarded is compared with what was written to it: what is missing
 * is logged once, and the rest goes on. One that is not is for other programs, which may take its files.
 */
export async function openClickSpool(config: Config, logger: Logger): Promise<RecordSpool> {
  const folder = clickFolder(config);
  if (config.webhook.clicks.forward === undefined) return openRecordSpool({ folder });
  const mark = markFile(config, "clicks", folder);
  const cursor = await loadCursor(folder).catch(() => undefined);
  for (const missing of await findMissing(folder, mark, cursor)) {
    if (missing.isRead) continue;
    const reason = describeMissing(missing);
    logger.error({ reason }, "clicks that were reported are missing, and are not forwarded");
  }
  return openRecordSpool({ folder, mark, checksums: true });
}

export function clickFolder({ data }: Pick<Config, "data">): string {
  return join(data, "clicks");
}
