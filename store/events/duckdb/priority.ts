import { readdir, readFile } from "node:fs/promises";
import { setPriority } from "node:os";
import { join } from "node:path";

/** How libuv calls the threads of its pool. Threads that one of them starts have its name and priority. */
const poolThread = "libuv-worker";

/** What the system tells of the threads of this process, and takes. */
export interface Threads {
  ids(): Promise<readonly number[]>;
  nameOf(id: number): Promise<string>;
  setNiceness(id: number, niceness: number): void;
}

const folder = "/proc/self/task";

/** Linux alone has a priority for each thread. */
export const linuxThreads: Threads = {
  ids: async () => (await readdir(folder)).map(Number),
  nameOf: async (id) => (await readFile(join(folder, String(id), "comm"), "utf8")).trim(),
  setNiceness: setPriority,
};

/**
 * Puts libuv's pool, in which the engine's statements run, behind the main thread
 * and the workers, and with it the engine's own threads when they are started after
 * this. What else the pool does is short, or waits for a disk. Where the system
 * can't do it, all stay as they are.
 * @param niceness 1 to 19; the higher, the less of a busy processor they get
 */
export async function lowerPoolPriority(niceness: number, threads: Threads = linuxThreads): Promise<void> {
  const ids = await threads.ids().catch(() => []);
  for (const id of ids) {
    try {
      if ((await threads.nameOf(id)) === poolThread) threads.setNiceness(id, niceness);
    } catch {
      // Ended meanwhile, or not permitted: then its queries slow the rest down.
    }
  }
}
