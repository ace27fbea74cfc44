import { vi } from "vitest";
import type { SmallDisk } from "../../inbox/small-disk.ts";
import type { Fault } from "./fault.ts";

const patient = { timeout: 60_000, interval: 50 };
const reports = 20;

/** @param disk holds the second shard; undefined where none can be mounted */
export const fullDisk = (disk: SmallDisk | undefined): Fault => ({
  name: "the disk of a shard is full",
  async inject({ replicas }, load) {
    await load.progress();
    const { taken } = load.reports;
    const failures = (): number =>
      replicas.flatMap(({ log }) =>
        log.filter((line) => /not enough space|No space left/i.test(JSON.stringify(line))),
      ).length;
    const [before, failed] = [taken.length, failures()];
    disk!.fill();
    await vi.waitUntil(() => failures() > failed, patient);
    await vi.waitUntil(() => taken.length > before + reports, patient);
    disk!.free();
    await load.progress();
    await load.progress();
  },
});
