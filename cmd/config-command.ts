import type { Writable } from "node:stream";
import { z } from "zod";
import { ConfigError } from "./config/problem.ts";
import { configSchema } from "./config/schema.ts";
import { type ConfigOptions, loadConfig, readConfig } from "./config.ts";
import { compileFormats } from "./formats.ts";

/** Prints the effective settings as YAML. */
export function printConfig(options: ConfigOptions, stdout: Writable): void {
  stdout.write(loadConfig(options).print());
}

/** Prints the JSON Schema of engage.yaml, by which editors complete and check it. */
export function printSchema(stdout: Writable): void {
  const schema = z.toJSONSchema(configSchema, { io: "input", unrepresentable: "any" });
  stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
}

/**
 * Loads the configuration and compiles all that stands in it, as a start would.
 * @throws ConfigError with everything that is wrong
 */
export async function checkConfig(options: ConfigOptions, stdout: Writable): Promise<void> {
  const { config, file, locate, problems } = readConfig(options);
  const formats = await compileFormats(config, locate);
  const found = [...problems, ...formats.problems];
  if (found.length > 0) throw new ConfigError(found);
  stdout.write(`${file}: no problems found\n`);
}
