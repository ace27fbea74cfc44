import type { Writable } from "node:stream";
import { type ConfigOptions, loadConfig } from "./config.ts";
import { openCheckedFormats } from "./formats.ts";

/** Prints the effective settings as YAML. */
export function printConfig(options: ConfigOptions, stdout: Writable): void {
  stdout.write(loadConfig(options).print());
}

/**
 * Loads the configuration and compiles all that stands in it, as a start would.
 * @throws ConfigError with everything that is wrong
 */
export async function checkConfig(options: ConfigOptions, stdout: Writable): Promise<void> {
  const { config, file, locate } = loadConfig(options);
  await openCheckedFormats(config, locate);
  stdout.write(`${file}: no problems found\n`);
}
