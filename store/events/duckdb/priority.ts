import { readdir, readFile } from "node:fs/promises";
import { setPriority } from "node:os";
import { join } from "node:path";

/** The name of the threads of libuv's pool. Threads that one of them starts inherit its name and priority. */
const poolThread = "libuv-worker";

/** Reads and changes the threads of this process. */
export interface Threads {
  ids(): Promise<readonly number[]>;
  nameOf(id: number): Promise<string>;
  setNiceness(id: number, niceness: number): void;
}

const folder = "/proc/self/task";

/** Only Linux has a priority for each thread. */
export const linuxThreads: Threads = {
  ids: async () => (await readdir(folder)).map(Number),
  nameOf: async (id) => (await readFile(join(folder, String(id), "comm"), "utf8")).trim(),
  setNiceness: setPriority,
};

/**
 * Lowers the priority of libuv's pool, in which the engine's statements run, below the main thread and
 * the workers. The engine's own threads follow when they are started afterwards. Other work of the pool
 * is short, or waits for a disk. Has no effect where the system does not support it.
 * @param niceness 1 to 19; the higher, the less of a busy processor the pool gets
 */
export async function lowerPoolPriority(niceness: number, threads: Threads = linuxThreads): Promise<void> {
  const ids = await threads.ids().catch(() => []);
  for (const id of ids) {
    try {
      if ((await threads.nameOf(id)) === poolThread) threads.setNiceness(id, niceness);
    } catch {
      // Ended meanwhile, or not permitted: then queries slow the rest of the process down.
    }
  }
}
