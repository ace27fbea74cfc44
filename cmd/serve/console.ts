import { join } from "node:path";
import { packageRoot } from "../../base/package/root.ts";
import { contentSecurityPolicy } from "../../gateway/pages/content-security-policy.ts";
import { createFileFolder } from "../../gateway/pages/file-folder.ts";
import type { PagesOptions } from "../../gateway/pages/pages.ts";
import { createSessions, type Sessions } from "../../gateway/sessions/sessions.ts";
import type { Config } from "../config/config.ts";

/** The path at which the console is served; the console's own calls go to the folder above. */
export const consolePath = "/console/";

const pageHeaders = {
  "content-security-policy": contentSecurityPolicy({ formAction: "'self'" }),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
} as const;

export interface Console {
  readonly pages: Pick<PagesOptions, "endpoints" | "folders"> & { readonly home: string };
  readonly sessionKeyOf: Sessions["keyOf"];
}

/** Creates the files and sessions of the console, and makes it the way from `/`. Reads nothing before the first request. */
export function createConsole(auth: Config["auth"]): Console {
  const folder = join(packageRoot, "console/dist");
  const sessions = createSessions(auth);
  return {
    pages: {
      home: consolePath,
      folders: [createFileFolder({ path: consolePath, folder, hashedFolder: "assets", pageHeaders })],
      endpoints: { [`${consolePath}session`]: sessions.endpoint },
    },
    sessionKeyOf: sessions.keyOf,
  };
}
