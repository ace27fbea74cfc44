import type { Config, DescribedConfig, LoadedConfig } from "../config/config.ts";
import { type ConfigPath, formatPath, isWithin, type Problem } from "../config/problem.ts";
import { valueAt, withValue } from "../config/tree.ts";

/** Settings that a part of a running server can change. */
export interface ReloadablePart {
  /** Paths such as `auth.keys`, with all below them. */
  readonly paths: readonly ConfigPath[];
  /** Settings that need a restart, and without which these have another meaning: when one changes, all wait for it. */
  readonly dependsOn?: readonly ConfigPath[];
  /**
   * Prepares the settings of these paths, and changes nothing yet.
   * @param locate returns the place of a fault in the new configuration
   * @returns the function that puts them into effect, which cannot fail
   * @throws ConfigError
   */
  prepare(config: Config, locate: (path: ConfigPath, message: string) => Problem): Promise<() => void>;
}

export interface ReloadReport {
  /** Paths of settings which have changed and are in effect. */
  readonly applied: readonly string[];
  /** Paths of settings which have changed and take effect with the next start. */
  readonly needRestart: readonly string[];
}

export interface Reloaded {
  /** The settings in effect. */
  readonly config: Config;
  readonly report: ReloadReport;
}

/** A configuration that was read while the server runs. */
export type NewConfig = Pick<LoadedConfig, "config" | "locate" | "describe">;

export interface Reloading {
  /** See RunningServer. */
  reload(loaded: NewConfig): Promise<ReloadReport>;
  /** Describes the configuration as it was read last. */
  describe(): DescribedConfig;
}

/** Creates the reload of a server that runs with a configuration. */
export function createReloading(
  parts: readonly ReloadablePart[],
  config: Config,
  { describe }: { readonly describe?: () => DescribedConfig },
): Reloading {
  let running = config;
  let describeLast = describe;
  let described: DescribedConfig | undefined;
  return {
    async reload(loaded) {
      const reloaded = await reloadParts(parts, running, loaded.config, loaded.locate);
      running = reloaded.config;
      describeLast = loaded.describe;
      described = undefined;
      return reloaded.report;
    },
    describe() {
      described ??= describeLast!();
      return described;
    },
  };
}

/**
 * Puts changed settings into effect: all that the parts can change, or none.
 * @throws ConfigError, when the old settings stay in effect
 */
export async function reloadParts(
  parts: readonly ReloadablePart[],
  running: Config,
  wanted: Config,
  locate: (path: ConfigPath, message: string) => Problem,
): Promise<Reloaded> {
  const changed = changedPaths(running, wanted);
  const isOf = (path: ConfigPath, part: ReloadablePart): boolean =>
    part.paths.some((own) => isWithin(path, own));
  const able = parts.filter(
    ({ dependsOn = [] }) => !changed.some((path) => dependsOn.some((other) => isWithin(path, other))),
  );
  const applied = changed.filter((path) => able.some((part) => isOf(path, part)));
  let config: unknown = running;
  for (const path of applied) config = withValue(config, path, valueAt(wanted, path));
  const affected = able.filter((part) => applied.some((path) => isOf(path, part)));
  const changes = await Promise.all(affected.map((part) => part.prepare(config as Config, locate)));
  for (const change of changes) change();
  const needRestart = changed.filter((path) => !applied.includes(path));
  return {
    config: config as Config,
    report: { applied: applied.map(formatPath), needRestart: needRestart.map(formatPath) },
  };
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
