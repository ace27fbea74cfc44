import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system of its own, in memory. Needs root. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Takes up all that is free. */
  fill(): void;
  /** Gives back what `fill` took. */
  free(): void;
}

export function mountSmallDisk(bytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), "disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", path]);
  const filler = join(path, "filler");
  return {
    path,
    fill() {
      const block = Buffer.alloc(4096);
      const file = openSync(filler, "w");
      try {
        for (;;) writeSync(file, block);
      } catch (error) {
        closeSync(file);
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    },
    free: () => rmSync(filler),
    [Symbol.dispose]() {
      execFileSync("umount", ["-l", path]);
      rmdirSync(path);
    },
  };
}
