import { freeIdleMemory } from "../../base/memory/idle-memory.ts";
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
  const server = await startServer(loaded.config, { locate: loaded.locate, describe: loaded.describe });
  using _memory = freeIdleMemory();
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
