import { type ConfigOptions, loadConfig } from "../config/config.ts";
import { keepFilesPrivate } from "./data/folder.ts";
import { logMistakes } from "./log/mistakes.ts";
import { startServer } from "./server.ts";
import { settleMemory } from "./settle-memory.ts";

/** What a service manager, a terminal and the end of a terminal send. */
const stopSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Serves until it is told to stop, then drains and lets the process end with code 0. A second signal ends it at once. */
export async function serve(options: ConfigOptions): Promise<void> {
  keepFilesPrivate();
  const loaded = loadConfig(options);
  const server = await startServer(loaded.config, { locate: loaded.locate });
  settleMemory();
  const { logger } = server;
  logMistakes(loaded, logger);
  if (loaded.isDemo) {
    logger.warn("no configuration file was given: serving the demo, whose secrets everybody knows");
  }
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    for (const name of stopSignals) process.once(name, resolve);
  });
  logger.info({ signal, drainMs: loaded.config.drainMs }, "stopping");
  for (const name of stopSignals) process.once(name, () => process.exit(1));
  await server.stop();
  process.exit(0);
}
