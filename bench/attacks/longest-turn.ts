import { writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/**
 * Preloaded into the server: measures the processor time of the main thread between two runs of a timer, which is the
 * longest piece of work that nothing interrupts, however busy the machine is. SIGUSR2 starts the measurement again; its
 * result is in the file of the variable LONGEST_TURN after the process has exited.
 */
const intervalMs = 5;

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const file = process.env["LONGEST_TURN"];
if (isMainThread && file !== undefined) {
  let last = cpuMs();
  let longest = 0;
  setInterval(() => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, intervalMs).unref();
  process.on("SIGUSR2", () => {
    longest = 0;
  });
  process.on("exit", () => writeFileSync(file, String(longest)));
}
