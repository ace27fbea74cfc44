import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import type { SegmentFileSystem } from "./segment.ts";

/** Holds its thread until the disk is done: for a thread that does nothing else. */
export const syncFiles: SegmentFileSystem = {
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
