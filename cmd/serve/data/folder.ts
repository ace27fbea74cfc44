import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { tighten, tightenAll } from "../../../base/files/private.ts";

/** The names of this program in its data folder. */
const own: ReadonlySet<string> = new Set([
  "backup.id",
  "backup.sock",
  "channels",
  "clicks",
  "deadletters",
  "events",
  "inbox",
  "marks",
  "savedqueries",
  "tokens.json",
  "tokens.json.lock",
]);

/** Makes new files of the process private to its user, including those of libraries. */
export function keepFilesPrivate(): void {
  // Threads cannot set the mask and use that of the process.
  if (isMainThread) process.umask(0o077);
}

/**
 * Makes an existing data folder private, since earlier versions did not. The folder itself is only changed when it
 * holds nothing else, since other programs may use it too.
 */
export function tightenDataFolder(data: string): void {
  if (!existsSync(data)) return;
  const names = readdirSync(data);
  for (const name of names) if (own.has(name)) tightenAll(join(data, name));
  if (names.every((name) => own.has(name))) tighten(data);
}
