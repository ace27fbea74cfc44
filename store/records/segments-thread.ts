import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import type { RecordPlace } from "./records.ts";
import type { RollingOptions, RollingSegments } from "./rolling-segments.ts";
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
    let pending: PromiseWithResolvers<RecordPlace> | undefined;

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
          pending?.resolve(end);
        }
      });
      return opened;
    }
    return {
      append(pieces) {
        worker ??= open();
        pending = Promise.withResolvers();
        const bytes = concatenate(pieces);
        worker.postMessage({ kind: "append", bytes } satisfies ToSegments, [bytes.buffer]);
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

/** Joins pieces in memory of their own, which can be transferred. */
function concatenate(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const bytes = Buffer.allocUnsafeSlow(length);
  let to = 0;
  for (const piece of pieces) {
    bytes.set(piece, to);
    to += piece.length;
  }
  return bytes;
}
