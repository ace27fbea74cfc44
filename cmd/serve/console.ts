import { join } from "node:path";
import { packageRoot } from "../../base/package/root.ts";
import { createFileFolder } from "../../gateway/pages/file-folder.ts";
import type { PagesOptions } from "../../gateway/pages/pages.ts";

/** The path at which the console is served; the console's own calls go to the folder above. */
const consolePath = "/console/";

/**
 * The policy of the console: everything comes from this server, no script or style is inline, and no text becomes
 * markup (https://www.w3.org/TR/trusted-types/).
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "base-uri 'none'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "img-src 'self'",
  "require-trusted-types-for 'script'",
  "script-src 'self'",
  "style-src 'self'",
  "trusted-types 'none'",
].join("; ");

const pageHeaders = {
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
} as const;

/** Returns the files of the console, and `/` as the way there. Reads nothing before the first request. */
export function createConsolePages(): Required<Pick<PagesOptions, "folders">> & { readonly home: string } {
  const folder = join(packageRoot, "console/dist");
  return {
    home: consolePath,
    folders: [createFileFolder({ path: consolePath, folder, hashedFolder: "assets", pageHeaders })],
  };
}
