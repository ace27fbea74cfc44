import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRecordReader } from "../../../store/records/record-reader.ts";
import { openRecordSpool } from "../../../store/records/record-spool.ts";
import type { SegmentFileSystem, SegmentHandle } from "../../../store/records/segment.ts";
import { listSegments, segmentName } from "../../../store/records/segment-files.ts";
import { testRecords } from "../../conformance/records.ts";

/** Returns a disk that counts syncs and fails on request. */
function flakyDisk(): SegmentFileSystem & { fail: Error | undefined; syncs: number } {
  const disk = {
    fail: undefined as Error | undefined,
    syncs: 0,
    async open(path: string, flags: string, mode: number): Promise<SegmentHandle> {
      const handle = await open(path, flags, mode);
      return {
        stat: handle.stat.bind(handle),
        truncate: (size) => handle.truncate(size),
        close: () => handle.close(),
        read: handle.read.bind(handle),
        write: handle.write.bind(handle),
        async datasync() {
          disk.syncs++;
          if (disk.fail !== undefined) throw disk.fail;
          await handle.datasync();
        },
      };
    },
  };
  return disk;
}

testRecords("records in files", async () => {
  const root = mkdtempSync(join(tmpdir(), "records-"));
  const folder = join(root, "spool");
  const disk = flakyDisk();
  return {
    async open({ maxBytes, ...options } = {}) {
      const size = maxBytes === undefined ? {} : { maxFileBytes: maxBytes };
      const spool = openRecordSpool({ ...options, ...size, folder, fileSystem: disk });
      const reader = createRecordReader({ folder, spool });
      return { spool, reader, [Symbol.asyncDispose]: () => spool[Symbol.asyncDispose]() };
    },
    files: () => listSegments(folder),
    async remove(number) {
      rmSync(join(folder, segmentName(number)));
    },
    async damage(change) {
      const path = join(folder, segmentName(1));
      const bytes = readFileSync(path);
      change(bytes);
      writeFileSync(path, bytes);
    },
    async fail() {
      disk.fail = new Error("ENOSPC: no space left on device");
      return {
        async [Symbol.asyncDispose]() {
          disk.fail = undefined;
        },
      };
    },
    writes: async () => disk.syncs,
    async [Symbol.asyncDispose]() {
      rmSync(root, { recursive: true });
    },
  };
});
