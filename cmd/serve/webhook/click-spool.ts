import { join } from "node:path";
import type { Logger } from "pino";
import { createFileCursor } from "../../../store/records/forward-cursor.ts";
import { createRecordReader } from "../../../store/records/record-reader.ts";
import { openRecordSpool, type RecordSpool } from "../../../store/records/record-spool.ts";
import type { RecordReader } from "../../../store/records/records.ts";
import { findMissing } from "../../../store/records/spool-mark.ts";
import type { Config } from "../../config/config.ts";
import { markFile } from "../data/marks.ts";
import { describeMissing } from "../event/losses.ts";
import type { SharedStores } from "../shared/stores.ts";

export interface ClickSpool extends AsyncDisposable {
  readonly append: RecordSpool["append"];
  readonly reader: RecordReader;
}

/** The number of the spool of clicks in the shared database, where those of projects have their ids. */
export const sharedNumber = 0;

/** Opens the spool of clicks, in the shared database or in the data folder. */
export async function openClickSpool(
  config: Config,
  logger: Logger,
  shared: SharedStores | undefined,
): Promise<ClickSpool> {
  if (shared !== undefined) return shared.records.open({ project: sharedNumber, checksums: true });
  const spool = await openFiles(config, logger);
  const reader = createRecordReader({ folder: clickFolder(config), spool });
  return { append: spool.append, reader, [Symbol.asyncDispose]: () => spool[Symbol.asyncDispose]() };
}

/**
 * When clicks are forwarded, missing ones are logged once and the others are forwarded. Otherwise other programs may
 * remove the files of the spool.
 */
async function openFiles(config: Config, logger: Logger): Promise<RecordSpool> {
  const folder = clickFolder(config);
  if (config.webhook.clicks.forward === undefined) return openRecordSpool({ folder });
  const mark = markFile(config, "clicks", folder);
  const cursor = await createFileCursor(folder)
    .load()
    .catch(() => undefined);
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
