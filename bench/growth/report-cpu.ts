import { isMainThread } from "node:worker_threads";

/** Imported by a command, so that it prints its CPU time when it ends. */
if (isMainThread) {
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    console.error(`cpu-ms=${(user + system) / 1_000}`);
  });
}
