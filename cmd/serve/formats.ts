import type { Logger } from "pino";
import { checkFormats } from "../../services/parser/check/check.ts";
import { type Formats, openFormats } from "../../services/parser/formats/formats.ts";
import { checkSeparators } from "../../services/parser/line/separators.ts";
import type { Config, LoadedConfig } from "../config/config.ts";
import { ConfigError, type ConfigPath, formatProblems, type Problem } from "../config/problem.ts";

type Locate = (path: ConfigPath, message: string) => Problem;

/**
 * Compiles the formats of the parser section.
 * @throws ConfigError with all their faults
 */
export async function openCheckedFormats(config: Config, locate: Locate): Promise<Formats> {
  const { formats, problems } = await compileFormats(config, locate);
  if (problems.length > 0) throw new ConfigError(problems);
  return formats;
}

/** Compiles the formats, and returns the faults that compiling finds with their places in the configuration. */
export async function compileFormats(
  { parser }: Config,
  locate: Locate,
): Promise<{ readonly formats: Formats; readonly problems: readonly Problem[] }> {
  const formats = await openFormats(parser);
  const found = [...checkSeparators(parser), ...formats.problems];
  return { formats, problems: found.map(({ path, message }) => locate(["parser", ...path], message)) };
}

/** Returns mistakes that do not prevent a start, with their places. Most of them are in the parser section. */
export function mistakesOf({ config, locate, lostKeys, placeholders }: LoadedConfig): readonly Problem[] {
  const found = checkFormats(config.parser);
  return [
    ...lostKeys,
    ...placeholders,
    ...found.map(({ path, message }) => locate(["parser", ...path], message)),
  ];
}

/** Logs the findings of `engage config --check` that do not prevent a start. */
export function logMistakes(loaded: LoadedConfig, logger: Logger): void {
  for (const problem of [...mistakesOf(loaded), ...loaded.advice])
    logger.warn(formatProblems([problem]).trim());
}
