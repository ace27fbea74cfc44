import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mountSmallDisk, type SmallDisk } from "../inbox/small-disk.ts";
import { fullDisk } from "./cases/full-disk.ts";
import { interruptedMigration } from "./cases/interrupted-migration.ts";
import { lostConnections } from "./cases/lost-connections.ts";
import { postgresRestarts } from "./cases/postgres-restarts.ts";
import { repeatedRequests } from "./cases/repeated-requests.ts";
import { shiftedClock } from "./cases/shifted-clock.ts";
import { stoppedReplica } from "./cases/stopped-replica.ts";
import { unavailableShard } from "./cases/unavailable-shard.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { startLoad } from "./load/load.ts";

/** Only root can mount a small disk. */
const isRoot = process.getuid?.() === 0;
const diskBytes = 400 * 1_048_576;
const opened = new AsyncDisposableStack();
const disk: SmallDisk | undefined = opened.use(isRoot ? mountSmallDisk(diskBytes) : undefined);

const faults = [
  unavailableShard,
  repeatedRequests,
  lostConnections,
  postgresRestarts,
  stoppedReplica,
  shiftedClock,
  interruptedMigration,
];

let cluster: Cluster;

beforeAll(async () => {
  const shardFolder = disk && { shardFolder: disk.path };
  cluster = opened.use(await openCluster({ projects: faults.length + 1, ...shardFolder }));
});
afterAll(() => opened.disposeAsync());

describe("nothing is lost, counted twice or half returned when", () => {
  const timeout = 240_000;
  const recipients = 1_000;
  const numbered = faults.map((fault, at) => [fault.name, at + 1, fault] as const);
  it.each(numbered)("%s", { timeout }, async (_name, project, fault) => {
    await using load = await startLoad(cluster, { project, recipients, seed: project });
    await fault.inject(cluster, load);
    await load.expectSound();
  });

  it.skipIf(!isRoot)("the disk of a shard is full (only root can mount a disk)", { timeout }, async () => {
    const project = faults.length + 1;
    await using load = await startLoad(cluster, { project, recipients, seed: project });
    await fullDisk(disk!).inject(cluster, load);
    await load.expectSound();
  });
});

it("leaves a store without faults", async () => {
  expect(await cluster.run("store", "check")).toBe("no faults found\n");
});
