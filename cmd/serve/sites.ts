import type { Logger } from "pino";
import type { SiteRefusal, SitesOptions } from "../../gateway/sites/sites.ts";
import type { Config } from "../config/config.ts";
import { createThrottle } from "./log/throttle.ts";

/** Returns the rules for calls from web pages. */
export function siteOptionsOf(config: Config, logger: Logger): SitesOptions {
  return {
    hosts: config.gateway.hosts,
    cors: config.gateway.cors,
    asksForKeys: config.auth.mode === "keys",
    isUnsigned: compileIsUnsigned(config),
    onRefused: createSiteLog(logger),
  };
}

/** Logs each refused request of another site, within the limits of the throttle. */
export function createSiteLog(logger: Logger): (refusal: SiteRefusal) => void {
  const throttle = createThrottle(() => performance.now());
  return (refusal) => {
    const added = throttle(refusal.reason);
    if (added !== undefined) logger.warn({ ...refusal, ...added }, "refused a page of another site");
  };
}

/** Returns a predicate for the paths of webhook channels that accept messages without a signature. */
function compileIsUnsigned({ webhook }: Config): (path: string) => boolean {
  const unsigned = new Set(
    Object.entries(webhook.channels).flatMap(([name, { auth }]) =>
      auth === "off" ? [`/webhook/${name}`] : [],
    ),
  );
  return (path) => unsigned.size > 0 && unsigned.has(decode(path));
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
