import type { ConfigPath } from "../problem.ts";
import { configSchema } from "../schema/schema.ts";
import { hasMeta, visit } from "../schema/walk.ts";

/** A shorter one can be guessed by trying. */
const minSecretLength = 8;

const message = `has fewer than ${minSecretLength} characters, which can be guessed: use a long random one`;

/** Secrets, keys and tokens that are too short, each by its path; a value is never part of the message. */
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

/** Addresses of databases are secret for the password in them. */
function isUrlSetting(path: ConfigPath): boolean {
  return path.at(-1) === "url";
}

/** Headers that are sent to targets are masked, but most of them are no secrets. */
function isOrdinaryHeader(path: ConfigPath): boolean {
  const [section, kind] = path;
  const isSent = section === "webhook" && kind === "targets" && path.at(-2) === "headers";
  return isSent && !/auth|cookie|key|pass|secret|sign|token/i.test(String(path.at(-1)));
}
