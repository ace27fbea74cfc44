import { isSecretHeader } from "../../../base/net/secret-header.ts";
import type { ConfigPath } from "../problem.ts";
import { configSchema } from "../schema/schema.ts";
import { hasMeta, visit } from "../schema/walk.ts";

/** The minimum length of a secret. A shorter one can be guessed. */
const minSecretLength = 8;

const message = `has fewer than ${minSecretLength} characters, which can be guessed: use a long random one`;

/** Finds secrets, keys and tokens that are too short, each with its path. Messages never contain a value. */
export function findShortSecrets(
  settings: unknown,
): readonly { readonly path: ConfigPath; readonly message: string }[] {
  const found: { path: ConfigPath; message: string }[] = [];
  visit(configSchema, settings, (value, schemas, path) => {
    if (typeof value !== "string" || !schemas.some((one) => hasMeta(one, "secret"))) return;
    const url = URL.parse(value);
    const secret = isUrlSetting(path) ? (url === null ? "" : decodeURIComponent(url.password)) : value;
    if (isUrlSetting(path) && secret === "") return;
    if (isOrdinaryHeader(path) || secret.length >= minSecretLength) return;
    found.push({ path, message: isUrlSetting(path) ? `its password ${message}` : message });
  });
  return found;
}

/** Whether the setting is the address of a database, which is secret because of its password. */
function isUrlSetting(path: ConfigPath): boolean {
  return path.at(-1) === "url";
}

/** Whether the setting is a header that is sent to targets. Headers are masked, but most of them are no secrets. */
function isOrdinaryHeader(path: ConfigPath): boolean {
  const [section, kind] = path;
  const isSent = section === "webhook" && kind === "targets" && path.at(-2) === "headers";
  return isSent && !isSecretHeader(String(path.at(-1)));
}
