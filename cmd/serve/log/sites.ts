import type { Logger } from "pino";
import type { SiteRefusal } from "../../../gateway/sites/sites.ts";
import { createThrottle } from "./throttle.ts";

/** Writes a line for each request that is refused for where it comes from, within the bounds of the throttle. */
export function createSiteLog(logger: Logger): (refusal: SiteRefusal) => void {
  const throttle = createThrottle(() => performance.now());
  return (refusal) => {
    const added = throttle(refusal.reason);
    if (added !== undefined) logger.warn({ ...refusal, ...added }, "refused a page of another site");
  };
}
