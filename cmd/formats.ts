import { type Formats, openFormats } from "../services/parser/formats/formats.ts";
import { checkSeparators } from "../services/parser/separators.ts";
import { ConfigError, type ConfigPath, type Problem } from "./config/problem.ts";
import type { Config } from "./config.ts";

/**
 * Compiles the formats of the parser section.
 * @throws ConfigError with all that is wrong with them
 */
export async function openCheckedFormats(
  { parser }: Config,
  locate: (path: ConfigPath, message: string) => Problem,
): Promise<Formats> {
  const formats = await openFormats(parser);
  const problems = [...checkSeparators(parser), ...formats.problems];
  if (problems.length > 0) {
    throw new ConfigError(problems.map(({ path, message }) => locate(["parser", ...path], message)));
  }
  return formats;
}
