import type { WriteStream } from "node:tty";
import { SingleBar } from "cli-progress";

export interface PartProgress extends Disposable {
  at(done: number, all: number): void;
}

/** Shows a bar of finished parts on stderr, if that is a terminal. */
export function startPartProgress(parts: string, stderr: { readonly isTTY?: boolean }): PartProgress {
  if (stderr.isTTY !== true) return { at() {}, [Symbol.dispose]() {} };
  const bar = new SingleBar({
    stream: stderr as WriteStream,
    format: `{bar} {value} of {total} ${parts} | {eta_formatted} left`,
    clearOnComplete: true,
  });
  let isStarted = false;
  return {
    at(done, all) {
      if (!isStarted) bar.start(all, 0);
      isStarted = true;
      bar.update(done);
    },
    [Symbol.dispose]: () => bar.stop(),
  };
}
