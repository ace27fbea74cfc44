import { getPriority, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { freeIdleMemory } from "../../../base/memory/idle-memory.ts";
import { servePreparer } from "../../../services/event/load/worker-loop.ts";
import { shardOfUser } from "../../../store/events/clickhouse/shards.ts";
import type { EventFormat } from "../../../store/events/events.ts";
import type { Intake } from "../../../store/intake/intake.ts";
import type { PostgresIntakeOptions } from "../../../store/intake/postgres/open.ts";
import { openSqliteIntake, type SqliteIntakeOptions } from "../../../store/intake/sqlite/open.ts";

/** The worker data of the thread that prepares records. */
export interface LoadWorkerSetup {
  /** An intake in a file, or in PostgreSQL under the lease of one loader. */
  readonly intake: SqliteIntakeOptions | PostgresIntakeOptions;
  readonly stagingFolder: string;
  readonly eventFormat?: EventFormat;
  /** Of a store that divides users among shards: their number. */
  readonly shardCount?: number;
  readonly progress: Float64Array<SharedArrayBuffer>;
  /** Niceness of the thread, 0 to 19, on systems that support it per thread. Default: 0. */
  readonly niceness?: number;
}

const setup = workerData as LoadWorkerSetup;
const { intake, stagingFolder, eventFormat, shardCount, progress, niceness = 0 } = setup;

// On Linux this applies to the calling thread alone, elsewhere to the whole process. The niceness is never lowered,
// which would need a privilege.
if (process.platform === "linux") setPriority(Math.max(getPriority(), niceness));

freeIdleMemory();
servePreparer({
  progress,
  folder: stagingFolder,
  eventFormat,
  shardOf: shardCount === undefined ? undefined : (userId) => shardOfUser(userId, shardCount),
  port: parentPort!,
  openIntake,
});

/** Loads the driver of PostgreSQL only when it is configured. */
async function openIntake(): Promise<Intake> {
  if (!("url" in intake)) return openSqliteIntake(intake);
  const { openPostgresIntake } = await import("../../../store/intake/postgres/open.ts");
  return await openPostgresIntake(intake);
}
