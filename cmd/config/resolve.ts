import { resolve } from "node:path";
import { type ListenAddress, parseListen } from "./listen.ts";
import type { ConfigPath } from "./problem.ts";
import { configSchema, type Settings } from "./schema/schema.ts";
import { hasMeta, visit } from "./schema/walk.ts";
import { withValue } from "./tree.ts";

/** The settings with parsed addresses, absolute paths and resolved defaults. */
export interface Config extends Omit<Settings, "listen" | "auth"> {
  readonly listen: ListenAddress;
  readonly auth: Settings["auth"] & { readonly mode: "keys" | "off" };
}

export const receiveMethod = "engage.webhook.v1.WebhookReceiver/Receive";

/** @param folderOf returns the base of relative paths in a setting */
export function resolveConfig(settings: Settings, folderOf: (path: ConfigPath) => string): Config {
  let resolved: unknown = settings;
  visit(configSchema, settings, (value, schemas, path) => {
    const isPath = schemas.some((schema) => hasMeta(schema, "path"));
    if (isPath && typeof value === "string")
      resolved = withValue(resolved, path, resolve(folderOf(path), value));
  });
  const { keys, certificates } = settings.auth;
  const { mode = keys.length > 0 || certificates !== undefined ? "keys" : "off" } = settings.auth;
  return {
    ...(resolved as Settings),
    listen: parseListen(settings.listen)!,
    auth: { ...settings.auth, mode },
    limits: { ...settings.limits, methods: methodLimits(settings) },
  };
}

/**
 * Returns the message limits of methods. The size of a webhook call is limited by its channel alone, unless it is set.
 */
function methodLimits({ limits, webhook }: Settings): Readonly<Record<string, number>> {
  const sizes = Object.values(webhook.channels).map(({ maxBytes }) => maxBytes);
  return { [receiveMethod]: Math.max(limits.maxMessageBytes, ...sizes), ...limits.methods };
}
