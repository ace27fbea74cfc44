import { createSerial } from "../../base/async/serial.ts";
import { delayFullCollections } from "../../base/memory/full-collections.ts";
import { freeIdleMemory } from "../../base/memory/idle-memory.ts";
import { allocateObjectsYoung } from "../../base/memory/new-objects.ts";
import { optimizeCode } from "../../base/memory/optimized-code.ts";
import { readCaseTables } from "../../services/parser/formats/regex.ts";
import { type ConfigOptions, loadConfig } from "../config/config.ts";
import { keepFilesPrivate } from "./data/folder.ts";
import { logMistakes } from "./formats.ts";
import { type RunningServer, startServer } from "./server.ts";
import { dieBySignals, stopSignals } from "./stop-signals.ts";

/** The signal at which a server without a terminal reads its configuration again. */
const reloadSignal = "SIGHUP";

/** Finding mistakes of formats takes a twentieth of a start, so the server answers its first calls before. */
const mistakesAfterMs = 500;

/** Serves until a signal arrives, then drains and exits with code 0. A second signal exits at once with code 1. */
export async function serve(options: ConfigOptions): Promise<void> {
  const starting = dieBySignals();
  keepFilesPrivate();
  const loaded = loadConfig(options);
  readCaseTables();
  optimizeCode();
  const server = await startServer(loaded.config, { locate: loaded.locate, describe: loaded.describe });
  // After the start, which compiles faster for the default flags of Node.
  allocateObjectsYoung();
  delayFullCollections();
  using _memory = freeIdleMemory();
  const { logger } = server;
  using mistakes = after(mistakesAfterMs, () => logMistakes(loaded, logger));
  if (loaded.isDemo) {
    logger.warn("no configuration file was given: serving the demo, whose secrets are public");
  }
  // A terminal that closes sends this signal too, and then the server has to stop.
  const reloads = process.stdin.isTTY !== true && process.stdout.isTTY !== true;
  const stopping = stopSignals.filter((name) => !(reloads && name === reloadSignal));
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    for (const name of stopping) process.once(name, resolve);
    if (reloads) process.on(reloadSignal, createReload(options, server, mistakes));
    starting[Symbol.dispose]();
  });
  logger.info({ signal, drainMs: server.drainMs() }, "stopping");
  for (const name of stopping) process.once(name, () => process.exit(1));
  await server.stop();
  process.exit(0);
}

/**
 * Returns a function that reads the configuration again and logs the result. Signals at the same time share it.
 * @param mistakes the log of the mistakes of the start, which those of the new formats replace
 */
function createReload(
  options: ConfigOptions,
  { logger, reload }: RunningServer,
  mistakes: Disposable,
): () => void {
  const serial = createSerial();
  let waiting = 0;
  const run = async (): Promise<void> => {
    waiting--;
    try {
      const loaded = loadConfig(options);
      const { applied, needRestart } = await reload(loaded);
      mistakes[Symbol.dispose]();
      logMistakes(loaded, logger);
      logger.info({ applied }, applied.length === 0 ? "reloaded: no setting has changed" : "reloaded");
      if (needRestart.length > 0) logger.warn({ settings: needRestart }, "changed settings need a restart");
    } catch (error) {
      logger.error({ err: error }, "not reloaded, the old settings stay in effect");
    }
  };
  return () => {
    if (waiting > 0) return;
    waiting++;
    void serial(run);
  };
}

/** Calls a function after this time, unless the result is disposed of before. */
function after(ms: number, run: () => void): Disposable {
  const timer = setTimeout(run, ms).unref();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
