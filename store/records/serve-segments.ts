import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import type { MessagePort } from "node:worker_threads";
import { errorMessage } from "../../base/text/system-error.ts";
import { type AppendedLines, createRollingSegments, type RollingOptions } from "./rolling-segments.ts";
import type { SegmentFileSystem } from "./segment.ts";

/** The arguments of the thread. */
export type SegmentsSetup = Pick<RollingOptions, "folder" | "maxFileBytes" | "after" | "checksums" | "mark">;

/** The requests of the thread, one at a time; each has a reply. */
export type ToSegments =
  | { readonly kind: "append"; readonly memory: ArrayBuffer; readonly length: number }
  | { readonly kind: "close" };

export type FromSegments =
  | { readonly kind: "torn"; readonly file: string; readonly bytes: number }
  | ({ readonly kind: "appended" } & AppendedLines)
  | { readonly kind: "failed"; readonly message: string };

/** Appends the received bytes until a close message arrives, after which the thread ends. */
export function serveSegments(port: MessagePort, setup: SegmentsSetup): void {
  const send = (message: FromSegments): void => port.postMessage(message);
  const segments = createRollingSegments({
    ...setup,
    fileSystem: syncFiles,
    torn: (file, bytes) => send({ kind: "torn", file, bytes }),
  });
  port.on("message", async (message: ToSegments) => {
    if (message.kind === "close") {
      await segments.close();
      port.close();
      return;
    }
    try {
      const { end, memory } = await segments.append(Buffer.from(message.memory, 0, message.length));
      port.postMessage({ kind: "appended", end, memory } satisfies FromSegments, [memory]);
    } catch (error) {
      send({ kind: "failed", message: errorMessage(error) });
    }
  });
}

/** Blocks its thread until the disk is done: for a thread which does nothing else. */
const syncFiles: SegmentFileSystem = {
  async open(path, flags, mode) {
    const file = openSync(path, flags, mode);
    return {
      stat: async () => fstatSync(file),
      read: async (bytes, offset, length, at) => ({ bytesRead: readSync(file, bytes, offset, length, at) }),
      write: async (bytes, offset, length) => ({ bytesWritten: writeSync(file, bytes, offset, length) }),
      truncate: async (size) => ftruncateSync(file, size),
      datasync: async () => fdatasyncSync(file),
      close: async () => closeSync(file),
    };
  },
};
