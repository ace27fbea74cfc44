import type { Writable } from "node:stream";
import { compileFormats, mistakesOf } from "../serve/formats.ts";
import { type ConfigOptions, loadConfig, readConfig } from "./config.ts";
import { ConfigError, formatProblems } from "./problem.ts";
import { jsonSchemaOfSettings } from "./schema/json-schema.ts";

/** Prints one JSON object for each effective setting, with its path, value and source. Secrets are hidden. */
export function printSettingLines(options: ConfigOptions, stdout: Writable): void {
  for (const { path, value, isHidden, isShortened, source, secretFile } of loadConfig(options).describe()
    .values)
    stdout.write(`${JSON.stringify({ path, value, isHidden, isShortened, source, secretFile })}\n`);
}

/** Prints the effective settings as YAML. @param withTexts whether the meaning of each stands above it */
export function printConfig(options: ConfigOptions, stdout: Writable, withTexts = false): void {
  stdout.write(loadConfig(options).print(withTexts));
}

/** Prints the JSON Schema of engage.yaml, with which editors complete and check it. */
export function printSchema(stdout: Writable): void {
  stdout.write(`${JSON.stringify(jsonSchemaOfSettings(), null, 2)}\n`);
}

/**
 * Loads the configuration and compiles everything in it, as the server does at its start.
 * @throws ConfigError with all faults, of values and of their combinations
 */
export async function checkConfig(options: ConfigOptions, stdout: Writable, json = false): Promise<void> {
  const loaded = readConfig(options);
  const { config, file, locate, problems, advice } = loaded;
  const formats = await compileFormats(config, locate);
  const found = [...problems, ...formats.problems, ...mistakesOf(loaded)];
  if (found.length > 0) throw new ConfigError(found);
  if (json) {
    stdout.write(`${JSON.stringify({ file, problems: [], advice })}\n`);
    return;
  }
  const warnings = `no problems, but these can be better:\n${formatProblems(advice)}`;
  stdout.write(`${file}: ${advice.length === 0 ? "no problems found" : warnings}\n`);
}
