import { join } from "node:path";
import type { Logger } from "pino";
import { loadCursor } from "../../../store/records/forward-cursor.ts";
import { openRecordSpool, type RecordSpool } from "../../../store/records/record-spool.ts";
import { findMissing } from "../../../store/records/spool-mark.ts";
import type { Config } from "../../config/config.ts";
import { markFile } from "../data/marks.ts";
import { describeMissing } from "../event/losses.ts";

/**
 * Opens the spool of clicks. When clicks are forwarded, missing ones are logged once and the others are forwarded.
 * Otherwise other programs may remove the files of the spool.
 */
export async function openClickSpool(config: Config, logger: Logger): Promise<RecordSpool> {
  const folder = clickFolder(config);
  if (config.webhook.clicks.forward === undefined) return openRecordSpool({ folder });
  const mark = markFile(config, "clicks", folder);
  const cursor = await loadCursor(folder).catch(() => undefined);
  for (const missing of await findMissing(folder, mark, cursor)) {
    if (missing.isRead) continue;
    const reason = describeMissing(missing);
    logger.error({ reason }, "clicks are missing from the spool and cannot be forwarded");
  }
  return openRecordSpool({ folder, mark, checksums: true });
}

export function clickFolder({ data }: Pick<Config, "data">): string {
  return join(data, "clicks");
}
