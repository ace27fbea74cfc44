import { existsSync } from "node:fs";
import { addChecksums, checkLine, withoutChecksum } from "../../../base/files/line-checksum.ts";
import { createFileCursor } from "../../../store/records/forward-cursor.ts";
import { createPostgresRecords } from "../../../store/records/postgres/open.ts";
import { createRecordReader } from "../../../store/records/record-reader.ts";
import { openRecordSpool } from "../../../store/records/record-spool.ts";
import type { RecordChunk } from "../../../store/records/records.ts";
import type { Config } from "../../config/config.ts";
import type { SharedDatabase } from "../shared/databases.ts";
import { clickFolder, sharedNumber } from "../webhook/click-spool.ts";

const chunkBytes = 1_048_576;
const lineFeed = 0x0a;

/**
 * Appends the clicks that are not forwarded yet to the spool which replicas share. What an earlier call has appended is
 * left out: what it stores is as long as what would be appended.
 * @returns the number of bytes
 */
export async function moveClicks(from: Config, database: SharedDatabase): Promise<number> {
  const folder = clickFolder(from);
  if (from.webhook.clicks.forward === undefined || !existsSync(folder)) return 0;
  await using records = createPostgresRecords(database);
  const target = records.open({ project: sharedNumber, checksums: true });
  await using spool = openRecordSpool({ folder, checksums: true });
  const reader = createRecordReader({ folder, spool });
  const cursor = await createFileCursor(folder).load();
  let place = cursor ?? (await reader.start());
  let left = await target.reader.bytesAfter(await target.reader.start());
  let bytes = 0;
  for (;;) {
    const chunk = await reader.read(place, chunkBytes);
    if (chunk === undefined) return bytes;
    place = chunk.to;
    bytes += chunk.bytes.length;
    const lines = withoutChecksums(chunk);
    const stored = addChecksums(lines, { number: 0, offset: 0 }).length;
    if (left >= stored) left -= stored;
    else await target.appendLines(lines);
  }
}

function withoutChecksums({ bytes, from: { number, offset } }: RecordChunk): Buffer {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, start);
    const line = bytes.subarray(start, end);
    const isChecked = checkLine(line, { number, offset: offset + start }) === "intact";
    lines.push(isChecked ? withoutChecksum(line) : line, Uint8Array.of(lineFeed));
    start = end + 1;
  }
  return Buffer.concat(lines);
}
