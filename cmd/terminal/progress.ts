import { statSync } from "node:fs";
import type { WriteStream } from "node:tty";
import { SingleBar } from "cli-progress";

export interface Progress {
  /** Reports how many bytes of a file have been read. */
  at(file: string, bytesRead: number): void;
  stop(): void;
}

interface Terminal {
  readonly isTTY?: boolean;
}

const silent: Progress = { at() {}, stop() {} };

/**
 * Shows a bar over all files on stderr, if that is a terminal and stdout is not: the bar would be mixed with the
 * records.
 */
export function startProgress(files: readonly string[], stdout: Terminal, stderr: Terminal): Progress {
  const sizes = files.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (stderr.isTTY !== true || stdout.isTTY === true || total === 0) return silent;
  const bar = new SingleBar({
    stream: stderr as WriteStream,
    format: "{bar} {percentage}% of {total} MiB | {eta_formatted} left",
    formatValue: (value, _, type) => (type === "total" ? (value / 1_048_576).toFixed(1) : String(value)),
    clearOnComplete: true,
  });
  bar.start(total, 0);
  let current: string | undefined;
  let before = 0;
  let read = 0;
  return {
    at(file, bytesRead) {
      if (file !== current) before += read;
      current = file;
      read = bytesRead;
      bar.update(Math.min(before + read, total));
    },
    stop: () => bar.stop(),
  };
}
