import { existsSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { packageRoot } from "../base/package/root.ts";
import { wordError, wordSystemError } from "../base/text/system-error.ts";
import { configFileFrom, type Environment, readEnvironment } from "./config/environment.ts";
import { validate } from "./config/issues.ts";
import { createPlaces } from "./config/places.ts";
import { maskSecrets, printSettings } from "./config/print.ts";
import { ConfigError, type ConfigPath, type Problem } from "./config/problem.ts";
import { type Config, resolveConfig } from "./config/resolve.ts";
import { checkRules } from "./config/rules.ts";
import { configSchema } from "./config/schema.ts";
import { dropEmptySections } from "./config/schema-walk.ts";
import { readSecrets } from "./config/secrets.ts";
import { findShortSecrets } from "./config/short-secrets.ts";
import { type ConfigSource, parseConfigSource } from "./config/source.ts";
import { withValue } from "./config/tree.ts";

export type { Config } from "./config/resolve.ts";

export interface LoadedConfig {
  readonly config: Config;
  /** The file that was read, as messages name it. */
  readonly file: string;
  /** Mistakes that keep nothing from starting: keys that the file loses, and secrets that are too short. */
  readonly lostKeys: readonly Problem[];
  readonly shortSecrets: readonly Problem[];
  /** Whether nobody gave a file, so that the demo's stands in. */
  readonly isDemo: boolean;
  /** Places a fault that was found later, for example while formats were compiled. */
  locate(path: ConfigPath, message: string): Problem;
  /** The effective settings as YAML, secrets masked, each with where it came from. */
  print(): string;
}

export interface ConfigOptions {
  readonly env: Environment;
  readonly cwd: string;
  /** Wins over `ENGAGE_CONFIG`. */
  readonly file?: string | undefined;
}

/** This process's own variables: nothing else reads them. */
export function processOptions(file?: string): ConfigOptions {
  return { env: process.env, cwd: process.cwd(), file };
}

/**
 * Reads the file given, else the one that `ENGAGE_CONFIG` names, else `engage.yaml` in the working folder, else the
 * demo's; then the environment over it.
 * @throws ConfigError with everything that is wrong
 */
export function loadConfig(options: ConfigOptions): LoadedConfig {
  const { problems, ...loaded } = readConfig(options);
  if (problems.length > 0) throw new ConfigError(problems);
  return loaded;
}

/**
 * The same for who looks for more faults: what is wrong between settings that are valid by themselves is told beside them.
 * @throws ConfigError when values themselves are wrong
 */
export function readConfig(options: ConfigOptions): LoadedConfig & { readonly problems: readonly Problem[] } {
  const { source, isDemo } = openSource(options);
  const { overrides, problems: unknown } = readEnvironment(configSchema, source.tree, options.env);
  const problems: Problem[] = [...source.problems, ...unknown];
  if (source.problems.length > 0) throw new ConfigError(problems);

  const places = createPlaces(source, overrides, options.cwd);
  const report = (path: ConfigPath, message: string, part?: "key" | "value") =>
    problems.push(places.locate(path, message, part));
  let overridden = source.tree ?? {};
  for (const { path, value } of overrides) overridden = withValue(overridden, path, value) ?? {};
  const { tree, files } = readSecrets(
    configSchema,
    dropEmptySections(configSchema, overridden),
    places.folderOf,
    report,
  );
  const { value: settings, findings } = validate(configSchema, tree);
  for (const { path, message, part } of findings) report(path, message, part);
  // Most keys that YAML has lost make other faults, so they are named with them.
  if (settings === undefined) throw new ConfigError([...problems, ...source.lostKeys], unchecked);

  const config = resolveConfig(settings, places.folderOf);
  for (const { path, message } of checkRules(settings, config)) report(path, message);
  const originOf = (path: ConfigPath) => {
    const file = files.get(JSON.stringify(path));
    return file === undefined ? places.originOf(path) : `${places.originOf(path)}, file ${file}`;
  };
  return {
    config,
    file: source.file,
    isDemo,
    locate: (path, message) => places.locate(path, message),
    problems,
    lostKeys: source.lostKeys,
    shortSecrets: findShortSecrets(settings).map(({ path, message }) => places.locate(path, message)),
    print: () => printSettings(maskSecrets(configSchema, settings), originOf),
  };
}

/** How settings refer to each other is looked at when each is right by itself. */
const unchecked = "once these are right, check again: names that settings refer to are looked at then";

function openSource({ env, cwd, file }: ConfigOptions): { source: ConfigSource; isDemo: boolean } {
  const named = file ?? configFileFrom(env);
  const local = existsSync(join(cwd, "engage.yaml")) ? "engage.yaml" : undefined;
  const chosen = resolve(cwd, named ?? local ?? join(packageRoot, "engage.demo.yaml"));
  const inside = relative(cwd, chosen);
  const shown = inside.startsWith("..") ? chosen : inside;
  const isDemo = named === undefined && local === undefined;
  try {
    return { source: parseConfigSource(shown, readFileSync(chosen, "utf8")), isDemo };
  } catch (error) {
    const message = `cannot read the configuration file: ${wordSystemError(error) ?? wordError(error)}`;
    throw new ConfigError([{ where: shown, path: "", message }]);
  }
}
