import { join } from "node:path";
import { packageRoot } from "../../base/package/root.ts";
import { contentSecurityPolicy } from "../../gateway/pages/content-security-policy.ts";
import { createFileFolder } from "../../gateway/pages/file-folder.ts";
import type { PagesOptions } from "../../gateway/pages/pages.ts";
import type { Sessions } from "../../gateway/sessions/sessions.ts";

/** The path at which the console is served; the console's own calls go to the folder above. */
export const consolePath = "/console/";

const pageHeaders = {
  "content-security-policy": contentSecurityPolicy({ formAction: "'self'" }),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
} as const;

type Pages = Pick<PagesOptions, "endpoints" | "folders"> & { readonly home: string };

/**
 * Creates the files and sessions of the console, and makes it the way from `/`. Reads nothing before the first request.
 */
export function createConsole(sessions: Sessions): Pages {
  const folder = join(packageRoot, "console/dist");
  return {
    home: consolePath,
    folders: [createFileFolder({ path: consolePath, folder, hashedFolder: "assets", pageHeaders })],
    endpoints: { [`${consolePath}session`]: sessions.endpoint },
  };
}
