import { getPriority, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { servePreparer } from "../../../services/event/load/worker-loop.ts";
import { openSqliteIntake, type SqliteIntakeOptions } from "../../../store/intake/sqlite/open.ts";

/** What the thread that prepares records is started with. */
export interface LoadWorkerSetup {
  readonly intake: SqliteIntakeOptions;
  readonly stagingFolder: string;
  readonly progress: Float64Array<SharedArrayBuffer>;
  /** Niceness of the thread, 0 to 19, on systems that support it per thread. Default: 0. */
  readonly niceness?: number;
}

const { intake, stagingFolder, progress, niceness = 0 } = workerData as LoadWorkerSetup;

// There it is that of the calling thread alone; elsewhere it would be the process's. Nobody may raise it.
if (process.platform === "linux") setPriority(Math.max(getPriority(), niceness));

servePreparer({
  progress,
  folder: stagingFolder,
  port: parentPort!,
  openIntake: () => openSqliteIntake(intake),
});
