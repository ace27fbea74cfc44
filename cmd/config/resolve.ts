import { resolve } from "node:path";
import { type ListenAddress, parseListen } from "./listen.ts";
import type { ConfigPath } from "./problem.ts";
import { configSchema, type Settings } from "./schema.ts";
import { hasMeta, visit } from "./schema-walk.ts";
import { withValue } from "./tree.ts";

/** What the service runs on: settings with addresses read, paths made absolute and open choices decided. */
export interface Config extends Omit<Settings, "listen" | "auth"> {
  readonly listen: ListenAddress;
  readonly auth: Settings["auth"] & { readonly mode: "keys" | "off" };
  /** The folder of the configuration file: relative paths of a user's modules start here. */
  readonly folder: string;
}

/**
 * @param folder of the configuration file
 * @param folderOf the folder that relative paths in a setting start at
 */
export function resolveConfig(
  settings: Settings,
  folder: string,
  folderOf: (path: ConfigPath) => string,
): Config {
  let resolved: unknown = settings;
  visit(configSchema, settings, (value, schemas, path) => {
    if (typeof value !== "string" || !schemas.some((schema) => hasMeta(schema, "path"))) return;
    resolved = withValue(resolved, path, resolve(folderOf(path), value));
  });
  const { mode = settings.auth.keys.length > 0 ? "keys" : "off" } = settings.auth;
  return {
    ...(resolved as Settings),
    listen: parseListen(settings.listen)!,
    auth: { ...settings.auth, mode },
    folder,
  };
}
