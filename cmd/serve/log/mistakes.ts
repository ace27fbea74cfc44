import type { Logger } from "pino";
import type { LoadedConfig } from "../../config/config.ts";
import { formatProblems } from "../../config/problem.ts";
import { mistakesOf } from "../formats.ts";

/** Tells an operator what `engage config --check` finds although nothing keeps the server from running. */
export function logMistakes(loaded: LoadedConfig, logger: Logger): void {
  for (const problem of [...mistakesOf(loaded), ...loaded.advice])
    logger.warn(formatProblems([problem]).trim());
}
