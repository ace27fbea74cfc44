import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { LoadBatch } from "../../../store/events/events.ts";

/** Names of files of prepared rows; older versions wrote the events of all days to one file, `events`. */
const preparedFile = /^\d+-\d+-\d+-(?:day-?\d+|shard\d+|events|updates|seen|users)\.(?:ndjson|parquet)$/;

/** Creates the folder of prepared rows and removes the files of an earlier run. */
export async function clearStaging(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    if (preparedFile.test(name)) await rm(join(folder, name), { force: true });
  }
}

export async function removeRows({ projects }: LoadBatch): Promise<void> {
  const files = projects.flatMap(({ days = [], shards = [], updatesFile, seenFile, usersFile }) => [
    ...[...days, ...shards].map(({ file }) => file),
    ...[updatesFile, seenFile, usersFile].filter((file) => file !== undefined),
  ]);
  await Promise.all(files.map((file) => rm(file, { force: true })));
}
