import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { tighten, tightenAll } from "../../../base/files/private.ts";

/** What this program puts into its data folder. */
const own: ReadonlySet<string> = new Set([
  ...["channels", "clicks", "deadletters", "events", "inbox", "marks"],
  ...["tokens.json", "tokens.json.lock"],
]);

/** Files that the process makes from now on are for this user alone, those of libraries too. */
export function keepFilesPrivate(): void {
  // Threads can't set it, and have that of the process.
  if (isMainThread) process.umask(0o077);
}

/**
 * Takes a data folder, where there is one, away from others: versions before left it open. The folder itself
 * only when nothing else is in it, since it may be one that others use too.
 */
export function tightenDataFolder(data: string): void {
  if (!existsSync(data)) return;
  const names = readdirSync(data);
  for (const name of names) if (own.has(name)) tightenAll(join(data, name));
  if (names.every((name) => own.has(name))) tighten(data);
}
