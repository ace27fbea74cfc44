import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import type { AppendedLines, RollingOptions, RollingSegments } from "./rolling-segments.ts";
import type { FromSegments, SegmentsSetup, ToSegments } from "./serve-segments.ts";

/** Starts a thread which runs `serveSegments`. */
export type StartSegments = (setup: SegmentsSetup) => Worker;

/**
 * Creates segments which a thread of their own writes and syncs. In libuv's pool they would wait for a
 * thread, and for a processor where the pool runs at a low priority. The thread is started by the first
 * append, and again when it has ended.
 */
export function createSegmentsThread(
  start: StartSegments,
): (options: Omit<RollingOptions, "fileSystem">) => RollingSegments {
  return ({ folder, maxFileBytes, after, checksums, mark, torn }) => {
    let worker: Worker | undefined;
    let end = after;
    let pending: PromiseWithResolvers<AppendedLines> | undefined;

    function open(): Worker {
      const opened = start({ folder, maxFileBytes, checksums, mark, after: end });
      const fail = (error: Error): void => {
        if (worker !== opened) return;
        worker = undefined;
        pending?.reject(error);
      };
      opened.on("error", fail);
      opened.on("exit", (code) => fail(new Error(`the thread that writes records ended, exit code ${code}`)));
      opened.on("message", (message: FromSegments) => {
        if (message.kind === "torn") torn(message.file, message.bytes);
        else if (message.kind === "failed") pending?.reject(new Error(message.message));
        else {
          end = message.end;
          pending?.resolve(message);
        }
      });
      return opened;
    }
    return {
      append(lines) {
        worker ??= open();
        pending = Promise.withResolvers();
        const { buffer: memory, length } = lines;
        worker.postMessage({ kind: "append", memory, length } satisfies ToSegments, [memory]);
        return pending.promise;
      },
      async close() {
        const closing = worker;
        worker = undefined;
        if (closing === undefined) return;
        const exited = once(closing, "exit");
        closing.postMessage({ kind: "close" } satisfies ToSegments);
        await exited;
      },
    };
  };
}
