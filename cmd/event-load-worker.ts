import { parentPort, workerData } from "node:worker_threads";
import { servePreparer } from "../services/event/load/worker-loop.ts";
import { openSqliteIntake, type SqliteIntakeOptions } from "../store/intake/sqlite/open.ts";

/** What the thread that prepares records is started with. */
export interface LoadWorkerSetup {
  readonly intake: SqliteIntakeOptions;
  readonly stagingFolder: string;
  readonly progress: Float64Array<SharedArrayBuffer>;
}

const { intake, stagingFolder, progress } = workerData as LoadWorkerSetup;

servePreparer({
  ...{ progress, folder: stagingFolder },
  port: parentPort!,
  openIntake: () => openSqliteIntake(intake),
});
