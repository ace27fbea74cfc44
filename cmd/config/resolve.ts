import { join, resolve } from "node:path";
import { type ListenAddress, parseListen } from "./listen.ts";
import type { ConfigPath } from "./problem.ts";
import { configSchema, type Settings } from "./schema/schema.ts";
import { hasMeta, visit } from "./schema/walk.ts";
import { withValue } from "./tree.ts";

/** The settings with parsed addresses, absolute paths and resolved defaults. */
export interface Config extends Omit<Settings, "listen" | "auth" | "webhook" | "events"> {
  readonly listen: ListenAddress;
  readonly webhook: Omit<Settings["webhook"], "inbox"> & { readonly inbox: InboxConfig };
  readonly events: Settings["events"] & { readonly driver: "duckdb" | "clickhouse" };
  readonly auth: Settings["auth"] & { readonly mode: "keys" | "off" };
}

/** The settings of the inbox with the defaults that `stores` sets. */
export type InboxConfig = Settings["webhook"]["inbox"] & {
  readonly driver: "sqlite" | "postgres";
  readonly schema: string;
  readonly maxConnections: number;
};

/** The schema of an inbox in a database of its own. */
const ownInboxSchema = "engage_inbox";

export const receiveMethod = "engage.webhook.v1.WebhookReceiver/Receive";

/** @param folderOf returns the base of relative paths in a setting */
export function resolveConfig(settings: Settings, folderOf: (path: ConfigPath) => string): Config {
  let resolved: unknown = settings;
  visit(configSchema, settings, (value, schemas, path) => {
    const isPath = schemas.some((schema) => hasMeta(schema, "path"));
    if (isPath && typeof value === "string")
      resolved = withValue(resolved, path, resolve(folderOf(path), value));
  });
  const { webhook, events, ...rest } = resolved as Settings;
  const { keys, certificates } = settings.auth;
  const { mode = keys.length > 0 || certificates !== undefined ? "keys" : "off" } = settings.auth;
  return {
    ...rest,
    webhook: { ...webhook, inbox: resolveInbox(settings.stores, webhook.inbox) },
    events: { ...events, driver: eventsDriver(settings) },
    listen: parseListen(settings.listen)!,
    auth: { ...settings.auth, mode },
    limits: { ...settings.limits, methods: methodLimits(settings) },
  };
}

function resolveInbox(
  { driver, postgres }: Settings["stores"],
  inbox: Settings["webhook"]["inbox"],
): InboxConfig {
  const { url, schema, maxConnections } = inbox;
  return {
    ...inbox,
    driver: inbox.driver ?? (driver === "shared" ? "postgres" : "sqlite"),
    url: url ?? postgres.url,
    schema: schema ?? (url === undefined ? postgres.schema : ownInboxSchema),
    maxConnections: maxConnections ?? postgres.maxConnections,
  };
}

function eventsDriver({ stores, events }: Settings): "duckdb" | "clickhouse" {
  return events.driver ?? (stores.driver === "shared" ? "clickhouse" : "duckdb");
}

/**
 * Returns the message limits of methods. The size of a webhook call is limited by its channel alone, unless it is set.
 */
function methodLimits({ limits, webhook }: Settings): Readonly<Record<string, number>> {
  const sizes = Object.values(webhook.channels).map(({ maxBytes }) => maxBytes);
  return { [receiveMethod]: Math.max(limits.maxMessageBytes, ...sizes), ...limits.methods };
}

/** Where channels and tasks are stored: the place in `channel.store`, by default that of the inbox. */
export type ChannelPlace =
  | { readonly driver: "sqlite"; readonly file: string; readonly minFreeBytes: number }
  | {
      readonly driver: "postgres";
      readonly url: string;
      readonly schema: string;
      readonly maxConnections: number;
    };

export function channelPlace({ data, channel: { store }, webhook: { inbox } }: Config): ChannelPlace {
  if ((store.driver ?? inbox.driver) === "sqlite") {
    const file = store.file ?? join(data, "channels", "channels.db");
    return { driver: "sqlite", file, minFreeBytes: store.minFreeBytes ?? inbox.minFreeBytes };
  }
  return {
    driver: "postgres",
    url: store.url ?? inbox.url ?? "",
    schema: store.schema ?? inbox.schema,
    maxConnections: store.maxConnections ?? inbox.maxConnections,
  };
}

/** Returns the file of an inbox with the driver sqlite. */
export function inboxFile({ data, webhook: { inbox } }: Config): string {
  return inbox.file ?? join(data, "inbox", "inbox.db");
}
