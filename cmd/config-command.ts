import type { Writable } from "node:stream";
import { openFormats } from "../services/parser/formats/formats.ts";
import { ConfigError } from "./config/problem.ts";
import { type ConfigOptions, type LoadedConfig, loadConfig } from "./config.ts";

/** Prints the effective settings as YAML. */
export function printConfig(options: ConfigOptions, stdout: Writable): void {
  stdout.write(loadConfig(options).print());
}

/**
 * Loads the configuration and compiles all that stands in it, as a start would.
 * @throws ConfigError with everything that is wrong
 */
export async function checkConfig(options: ConfigOptions, stdout: Writable): Promise<void> {
  const loaded = loadConfig(options);
  await checkFormats(loaded);
  stdout.write(`${loaded.file}: no problems found\n`);
}

/** @throws ConfigError with the formats that cannot be compiled */
export async function checkFormats({ config, locate }: LoadedConfig): Promise<void> {
  const { problems } = await openFormats(config.parser);
  if (problems.length > 0) {
    throw new ConfigError(problems.map(({ path, message }) => locate(["parser", ...path], message)));
  }
}
