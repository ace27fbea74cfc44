import type { WriteStream } from "node:tty";
import { SingleBar } from "cli-progress";

export interface PartProgress extends Disposable {
  at(done: number, all: number): void;
}

/** Shows a bar on stderr of the parts of a work that are done; there is none where nobody would see it. */
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
