import { sha256Hex } from "../../../base/text/digest.ts";
import type { Page } from "./browser.ts";

/** The keys of a server with keys: of one that may do all, and of one that may only read. */
export const keys = { ops: "key-ops", viewer: "key-viewer" } as const;

/** Lines of the configuration that name the keys. */
export const withKeys = `auth:
  keys:
    - { name: ops, sha256: ${sha256Hex(keys.ops)} }
    - { name: viewer, sha256: ${sha256Hex(keys.viewer)}, access: read }
`;

/** Opens an address of a server with keys, and signs in there. */
export async function signIn(page: Page, url: string, key: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel("Key", { exact: true }).fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
}
