import { describe, expect, it } from "vitest";
import { createFreeSpaceCheck } from "../../../store/records/free-space.ts";
import { RecordsUnavailableError } from "../../../store/records/records.ts";

function markOn(disk: { free: number; nowMs: number; looks: number }) {
  return createFreeSpaceCheck({
    folder: "/data",
    minFreeBytes: () => 1_000,
    monotonicMs: () => disk.nowMs,
    freeBytes(folder) {
      expect(folder).toBe("/data");
      disk.looks++;
      return disk.free;
    },
  });
}

describe("check of free space", () => {
  it("accepts records until too little space is left, and again when there is more", () => {
    const disk = { free: 1_100, nowMs: 0, looks: 0 };
    const admit = markOn(disk);
    admit(100);
    expect(() => admit(1)).toThrow(RecordsUnavailableError);
    expect(() => admit(1)).toThrow('the disk of "/data" has 1000 bytes free, at least 1000 must stay');
    disk.free = 5_000;
    expect(() => admit(1)).toThrow(RecordsUnavailableError);
    disk.nowMs = 100;
    admit(4_000);
    expect(disk.looks).toBe(2);
  });

  it("refuses records when the disk can't be measured", () => {
    const admit = createFreeSpaceCheck({ folder: "/nowhere/at/all", minFreeBytes: () => 0 });
    expect(() => admit(0)).toThrow(
      /^the disk of "\/nowhere\/at\/all" can't be measured: no such file or folder/,
    );
  });

  it("measures the disk of a folder", () => {
    createFreeSpaceCheck({ folder: import.meta.dirname, minFreeBytes: () => 0 })(0);
    const greedy = createFreeSpaceCheck({ folder: import.meta.dirname, minFreeBytes: () => 2 ** 60 });
    expect(() => greedy(0)).toThrow(RecordsUnavailableError);
  });
});
