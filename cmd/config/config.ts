import { existsSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { packageRoot } from "../../base/package/root.ts";
import { describeReason } from "../../base/text/system-error.ts";
import {
  configFileFrom,
  type Environment,
  type Override,
  readEnvironment,
} from "./environment/environment.ts";
import { readOtelEnvironment } from "./environment/otel-environment.ts";
import { validate } from "./issues.ts";
import { maskSecrets } from "./mask-secrets.ts";
import { findPlaceholders } from "./placeholders.ts";
import { createPlaces } from "./places.ts";
import { printSettings } from "./print.ts";
import { ConfigError, type ConfigPath, formatPath, type Problem } from "./problem.ts";
import { type Config, resolveConfig } from "./resolve.ts";
import type { SourceFile } from "./rules/files.ts";
import { checkRules } from "./rules/rules.ts";
import { findShortSecrets } from "./rules/short-secrets.ts";
import { findUnusedTargets } from "./rules/webhook.ts";
import { configSchema } from "./schema/schema.ts";
import { dropEmptySections, textAt } from "./schema/walk.ts";
import { readSecrets } from "./secret-files.ts";
import { type ConfigSource, parseConfigSource } from "./source.ts";
import { valueAt, withValue } from "./tree.ts";
import { findValidPart, isDoubtful } from "./valid-part.ts";
import { listValues, type SettingValue } from "./values.ts";

export type { Config } from "./resolve.ts";

export interface LoadedConfig {
  readonly config: Config;
  /** The path of the file, as messages name it. */
  readonly file: string;
  /**
   * Faults that do not prevent a start: keys that the file loses, and placeholders that are not replaced. They and the
   * advice are looked for when they are read, so that a server answers its first calls before.
   */
  readonly lostKeys: readonly Problem[];
  readonly placeholders: readonly Problem[];
  /** Recommendations, for example about secrets that are too short. */
  readonly advice: readonly Problem[];
  /** Whether no file was given and the demo is served. */
  readonly isDemo: boolean;
  /** Locates a fault that is found later, for example while formats are compiled. */
  locate(path: ConfigPath, message: string): Problem;
  /**
   * Returns the effective settings as YAML with masked secrets and the origin of each value.
   * @param withTexts whether the meaning of each setting stands above it
   */
  print(withTexts?: boolean): string;
  /** Returns the effective settings for callers that may not see secrets. */
  describe(): DescribedConfig;
}

export interface DescribedConfig {
  readonly file: string;
  readonly fileNamedBy: "command_line" | "environment" | "default";
  readonly isDemo: boolean;
  readonly values: readonly SettingValue[];
}

export interface ConfigOptions {
  readonly env: Environment;
  readonly cwd: string;
  /** The path of the file. Takes precedence over `ENGAGE_CONFIG`. */
  readonly file?: string | undefined;
}

/** Returns options with this process's environment variables, which nothing else reads. */
export function processOptions(file?: string): ConfigOptions {
  return { env: process.env, cwd: process.cwd(), file };
}

/**
 * Reads the given file, otherwise the one in `ENGAGE_CONFIG`, otherwise `engage.yaml` in the working folder, otherwise
 * the demo's. Environment variables override its values.
 * @throws ConfigError with all faults
 */
export function loadConfig(options: ConfigOptions): LoadedConfig {
  const loaded = readConfig(options);
  // Most keys that YAML loses cause other faults, so they are reported with them.
  if (loaded.problems.length > 0) throw new ConfigError([...loaded.problems, ...loaded.lostKeys]);
  return loaded;
}

/**
 * Reads the configuration for callers that look for more faults. Returns the problems and the valid part of the
 * configuration.
 * @throws ConfigError if nothing of it can be read
 */
export function readConfig(options: ConfigOptions): LoadedConfig & { readonly problems: readonly Problem[] } {
  const { source, isDemo } = openSource(options);
  const own = readEnvironment(configSchema, source.tree, options.env);
  const hasEndpoint = [source.tree, ...own.overrides.map(treeOf)].some(
    (tree) => valueAt(tree, tracingEndpoint) !== undefined,
  );
  const otel = readOtelEnvironment(options.env, hasEndpoint);
  // Variables of this service win over those of OpenTelemetry.
  const overrides = [...otel.overrides, ...own.overrides];
  const problems: Problem[] = [...source.problems, ...own.problems, ...otel.problems];
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
  // Rules between settings are checked in all that is valid, so that one check finds the faults of both kinds.
  const part =
    settings === undefined
      ? findValidPart(configSchema, tree)
      : { settings, removed: [], replaced: [], placeOf: (path: ConfigPath) => path };
  if (part === undefined) throw new ConfigError([...problems, ...source.lostKeys]);

  const config = resolveConfig(part.settings, (path) => places.folderOf(part.placeOf(path)));
  const locate = (path: ConfigPath, message: string) => places.locate(part.placeOf(path), message);
  const sources = sourcesOf(resolve(options.cwd, source.file), files, places.folderOf);
  for (const finding of checkRules(part.settings, config, sources)) {
    const path = part.placeOf(finding.path);
    if (!isDoubtful({ ...finding, path }, tree, part)) report(path, finding.message);
  }
  const originOf = (path: ConfigPath) => ({
    source: places.sourceOf(path),
    secretFile: files.get(JSON.stringify(path)),
  });
  return {
    config,
    file: source.file,
    isDemo,
    locate,
    problems,
    get lostKeys() {
      return source.lostKeys;
    },
    get placeholders() {
      return findPlaceholders(part.settings).map(({ path, message }) => locate(path, message));
    },
    get advice() {
      return [...findShortSecrets(part.settings), ...findUnusedTargets(part.settings)].map(
        ({ path, message }) => locate(path, message),
      );
    },
    print(withTexts = false) {
      const textOf = (path: ConfigPath) => textAt(configSchema, part.settings, path);
      const masked = maskSecrets(configSchema, part.settings);
      return printSettings(masked, originOf, withTexts ? textOf : undefined);
    },
    describe: () => ({
      file: source.file,
      fileNamedBy: fileNamedBy(options),
      isDemo,
      values: listValues(configSchema, part.settings, originOf),
    }),
  };
}

/** @param secrets the files of secrets, by the JSON of their path */
function sourcesOf(
  file: string,
  secrets: ReadonlyMap<string, string>,
  folderOf: (path: ConfigPath) => string,
): readonly SourceFile[] {
  const ofSecrets = Array.from(secrets, ([key, name]) => {
    const path = JSON.parse(key) as ConfigPath;
    return { what: `${formatPath(path)} is too`, file: resolve(folderOf([...path, "file"]), name) };
  });
  return [{ what: "is the configuration file", file }, ...ofSecrets];
}

const tracingEndpoint: ConfigPath = ["tracing", "endpoint"];

function treeOf({ path, value }: Override): unknown {
  return withValue({}, path, value);
}

function fileNamedBy({ env, file }: ConfigOptions): DescribedConfig["fileNamedBy"] {
  if (file !== undefined) return "command_line";
  return configFileFrom(env) === undefined ? "default" : "environment";
}

/** Returns the file of the configuration as it was named; undefined when the demo runs without one. */
export function configFileOf({ env, cwd, file }: ConfigOptions): string | undefined {
  const local = existsSync(join(cwd, "engage.yaml")) ? "engage.yaml" : undefined;
  return file ?? configFileFrom(env) ?? local;
}

function openSource(options: ConfigOptions): { source: ConfigSource; isDemo: boolean } {
  const { cwd } = options;
  const named = configFileOf(options);
  const chosen = resolve(cwd, named ?? join(packageRoot, "engage.demo.yaml"));
  const inside = relative(cwd, chosen);
  const shown = inside.startsWith("..") ? chosen : inside;
  const isDemo = named === undefined;
  try {
    return { source: parseConfigSource(shown, readFileSync(chosen, "utf8")), isDemo };
  } catch (error) {
    const message = `cannot read the configuration file: ${describeReason(error)}`;
    throw new ConfigError([{ where: shown, path: "", message }]);
  }
}
