import type { LoaderOptions } from "../load/load.ts";
import type { RecordWatches } from "./watch.ts";

type Part = Pick<LoaderOptions, "startWorker" | "observer">;

/** Returns the same parts of a loader, which give watches their records once these can be queried. */
export function withWatches(watches: RecordWatches | undefined, { startWorker, observer }: Part): Part {
  if (watches === undefined) return { startWorker, observer };
  return {
    startWorker() {
      const worker = startWorker();
      return {
        ...worker,
        prepare(task) {
          const watched = watches.filters();
          return worker.prepare(watched === undefined ? task : { ...task, watched });
        },
      };
    },
    observer: {
      ...observer,
      loaded(prepared, times) {
        observer.loaded(prepared, times);
        if (prepared.sample !== undefined) watches.publish(prepared.sample);
      },
    },
  };
}
