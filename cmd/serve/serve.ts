import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type ConfigOptions, loadConfig } from "../config/config.ts";
import { keepFilesPrivate } from "./data/folder.ts";
import { logMistakes } from "./formats.ts";
import { startServer } from "./server.ts";
import { dieBySignals, stopSignals } from "./stop-signals.ts";

/** Serves until a signal arrives, then drains and exits with code 0. A second signal exits at once with code 1. */
export async function serve(options: ConfigOptions): Promise<void> {
  const starting = dieBySignals();
  keepFilesPrivate();
  const loaded = loadConfig(options);
  const server = await startServer(loaded.config, { locate: loaded.locate });
  freeStartupMemory();
  const { logger } = server;
  logMistakes(loaded, logger);
  if (loaded.isDemo) {
    logger.warn("no configuration file was given: serving the demo, whose secrets are public");
  }
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    for (const name of stopSignals) process.once(name, resolve);
    starting[Symbol.dispose]();
  });
  logger.info({ signal, drainMs: loaded.config.drainMs }, "stopping");
  for (const name of stopSignals) process.once(name, () => process.exit(1));
  await server.stop();
  process.exit(0);
}

const checkMs = 1_000;
/** The share of a second that the main thread works, below which it counts as idle. */
const idleUtilization = 0.1;

/**
 * Frees the memory that the start leaves in the heap, such as sources and syntax trees: 30 of 165 MiB. An idle server
 * would keep it, since nothing is collected while nothing is allocated. The collection takes two pauses of about
 * 60 ms, so it waits for the first idle second.
 */
function freeStartupMemory(): void {
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > idleUtilization) return;
    clearInterval(timer);
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as NodeJS.GCFunction;
    void collect({ type: "major", execution: "async", flavor: "last-resort" });
  }, checkMs).unref();
}
