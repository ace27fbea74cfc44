import type { Logger } from "pino";
import { formatProblems } from "./config/problem.ts";
import type { LoadedConfig } from "./config.ts";
import { mistakesOf } from "./formats.ts";

/** Tells an operator what `engage config --check` finds although nothing keeps the server from running. */
export function logMistakes(loaded: LoadedConfig, logger: Logger): void {
  for (const problem of [...mistakesOf(loaded), ...loaded.shortSecrets])
    logger.warn(formatProblems([problem]).trim());
}
