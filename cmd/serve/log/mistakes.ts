import type { Logger } from "pino";
import type { LoadedConfig } from "../../config/config.ts";
import { formatProblems } from "../../config/problem.ts";
import { mistakesOf } from "../formats.ts";

/** Logs the findings of `engage config --check` that do not prevent a start. */
export function logMistakes(loaded: LoadedConfig, logger: Logger): void {
  for (const problem of [...mistakesOf(loaded), ...loaded.advice])
    logger.warn(formatProblems([problem]).trim());
}
