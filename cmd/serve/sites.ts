import type { Logger } from "pino";
import type { SiteRefusal, SitesOptions } from "../../gateway/sites/sites.ts";
import type { Config } from "../config/config.ts";
import { createThrottle } from "./log/throttle.ts";

export interface SitePorts {
  /** Reports whether a webhook channel accepts messages without a signature. */
  readonly isUnsigned: (channel: string) => boolean;
  readonly onRefused: (refusal: SiteRefusal) => void;
}

/** Returns the rules for calls from web pages. */
export function siteOptionsOf({ gateway, auth }: Config, { isUnsigned, onRefused }: SitePorts): SitesOptions {
  return {
    hosts: gateway.hosts,
    cors: gateway.cors,
    asksForKeys: auth.mode === "keys",
    isUnsigned: (path) => isUnsigned(channelOf(path)),
    onRefused,
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

/** Returns the webhook channel of a path; for other paths a name that no channel has. */
function channelOf(path: string): string {
  try {
    return /^\/webhook\/(.+)$/.exec(decodeURIComponent(path))?.[1] ?? "";
  } catch {
    return "";
  }
}
