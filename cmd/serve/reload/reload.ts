import type { Config, DescribedConfig, LoadedConfig } from "../../config/config.ts";
import { type ConfigPath, formatPath, isWithin, type Problem } from "../../config/problem.ts";
import { valueAt, withoutPaths, withValue } from "../../config/tree.ts";
import { changedFiles, type FileStamps, keepStamps, stampFiles } from "./files.ts";
import { type PartName, reloadable } from "./settings.ts";

/** A part of a running server that can change its settings: those which `settings.ts` lists under its name. */
export interface ReloadablePart {
  readonly name: PartName;
  /** Settings that need a restart, and without which these have another meaning: when one changes, all wait for it. */
  readonly dependsOn?: readonly ConfigPath[];
  /** Reports whether it can change from one configuration to another while the server runs. Default: always. */
  readonly canChange?: (running: Config, wanted: Config) => boolean;
  /**
   * Prepares the settings, and changes nothing yet.
   * @param locate returns the place of a fault in the new configuration
   * @throws ConfigError
   */
  prepare(config: Config, locate: Locate): Promise<Prepared>;
}

export type Locate = (path: ConfigPath, message: string) => Problem;

/** Prepared settings. One of the functions is called, once. */
export interface Prepared {
  /** Puts the settings into effect, which cannot fail. */
  apply(): void;
  /** Closes what was opened for them, because another part cannot change. */
  readonly discard?: () => Promise<void>;
}

export interface ReloadReport {
  /** Paths of settings which have changed and are in effect. A file that has changed counts as its setting. */
  readonly applied: readonly string[];
  /** Paths of settings which have changed and take effect with the next start. */
  readonly needRestart: readonly string[];
}

/** A configuration that was read while the server runs. */
export type NewConfig = Pick<LoadedConfig, "config" | "locate" | "describe">;

export interface Reloading {
  /** See RunningServer. */
  reload(loaded: NewConfig): Promise<ReloadReport>;
  /** Describes the configuration as it was read last. */
  describe(): DescribedConfig;
  /** Prevents further changes, and waits for one that is being prepared. */
  stop(): Promise<void>;
}

/** What a server runs with. */
export interface Running {
  /** The settings in effect. */
  readonly config: Config;
  /** The files that were read for them. */
  readonly files: FileStamps;
}

/** Returns what a server runs with that starts now. */
export function runningWith(config: Config): Running {
  return { config, files: stampFiles(config) };
}

/**
 * Creates the reload of a running server.
 * @throws Error when no part changes a setting that is listed as reloaded
 */
export function createReloading(
  parts: readonly ReloadablePart[],
  started: Running,
  { describe }: { readonly describe?: () => DescribedConfig },
): Reloading {
  const missing = Object.keys(reloadable).filter((name) => !parts.some((part) => part.name === name));
  if (missing.length > 0) throw new Error(`no part reloads the settings of ${missing.join(", ")}`);
  const stop = new AbortController();
  let running = started;
  let preparing: Promise<unknown> | undefined;
  let describeLast = describe;
  let described: DescribedConfig | undefined;
  return {
    async reload(loaded) {
      const reloading = reloadParts(parts, running, loaded, stop.signal);
      preparing = reloading;
      const reloaded = await reloading;
      running = reloaded.running;
      describeLast = loaded.describe;
      described = undefined;
      return reloaded.report;
    },
    describe() {
      described ??= describeLast!();
      return described;
    },
    async stop() {
      stop.abort();
      await preparing?.catch(() => undefined);
    },
  };
}

/**
 * Puts changed settings into effect: all that the parts can change, or none.
 * @throws ConfigError, when the old settings stay in effect
 */
async function reloadParts(
  parts: readonly ReloadablePart[],
  running: Running,
  { config: wanted, locate }: NewConfig,
  stop: AbortSignal,
): Promise<{ readonly running: Running; readonly report: ReloadReport }> {
  const files = stampFiles(wanted);
  const values = changedPaths(running.config, wanted);
  const changed = [...values, ...changedFiles(running.files, files, values)];
  const able = parts.filter(
    ({ dependsOn = [], canChange = () => true }) =>
      !changed.some((path) => dependsOn.some((other) => isWithin(path, other))) &&
      canChange(running.config, wanted),
  );
  const applied = changed.filter((path) => able.some((part) => isOf(path, part)));
  const config = withChanges(running.config, wanted, applied);
  const affected = able.filter((part) => applied.some((path) => isOf(path, part)));
  await changeAll(affected, config, locate, stop);
  const needRestart = changed.filter((path) => !applied.includes(path));
  return {
    running: { config, files: keepStamps(files, running.files, needRestart) },
    report: { applied: applied.map(formatPath), needRestart: needRestart.map(formatPath) },
  };
}

function withChanges(running: Config, wanted: Config, paths: readonly ConfigPath[]): Config {
  const isRemoved = (path: ConfigPath): boolean => valueAt(wanted, path) === undefined;
  const changed = paths
    .filter((path) => !isRemoved(path))
    .reduce<unknown>((config, path) => withValue(config, path, valueAt(wanted, path)), running);
  return withoutPaths(changed, paths.filter(isRemoved)) as Config;
}

function isOf(path: ConfigPath, { name }: ReloadablePart): boolean {
  return reloadable[name].some((own) => isWithin(path, own));
}

/** Changes all parts, or none when one of them fails to prepare or the server stops meanwhile. */
async function changeAll(
  parts: readonly ReloadablePart[],
  config: Config,
  locate: Locate,
  stop: AbortSignal,
): Promise<void> {
  const results = await Promise.allSettled(parts.map(async (part) => part.prepare(config, locate)));
  const prepared = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failed = results.find((result) => result.status === "rejected");
  if (failed === undefined && !stop.aborted) {
    for (const { apply } of prepared) apply();
    return;
  }
  await Promise.all(prepared.map(({ discard }) => discard?.()));
  throw failed?.reason ?? new Error("the server stops");
}

/** Returns the paths of the values that differ. A list counts as one value. */
export function changedPaths(a: unknown, b: unknown, path: ConfigPath = []): readonly ConfigPath[] {
  if (!isSection(a) || !isSection(b)) return JSON.stringify(a) === JSON.stringify(b) ? [] : [path];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return keys.flatMap((key) => changedPaths(a[key], b[key], [...path, key]));
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
