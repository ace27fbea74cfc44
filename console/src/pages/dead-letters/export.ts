import { saveFile } from "../../controls/file/save-file.ts";
import { isoDayOf } from "../../texts/iso-day.ts";
import { client } from "./client.ts";
import type { Filter } from "./filters.ts";
import type { KindName } from "./kinds.ts";

/** Reads dead letters as lines of JSON, and gives them to the browser as a file. */
export async function exportToFile(kind: KindName, filter: Filter, signal: AbortSignal): Promise<void> {
  const parts: string[] = [];
  const decoder = new TextDecoder();
  for await (const { body } of client.exportDeadLetters({ filter }, { signal })) {
    if (body !== undefined) parts.push(decoder.decode(body.data, { stream: true }));
  }
  saveFile(`dead-letters-${kind}-${isoDayOf(Date.now())}.ndjson`, parts, "application/x-ndjson");
}
