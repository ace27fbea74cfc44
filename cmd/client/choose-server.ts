import { type ConfigOptions, configFileOf } from "../config/config.ts";
import { keyFrom, profileFrom, tokenFrom } from "../config/environment/environment.ts";
import { type Profile, profileNamed, readProfiles } from "../config/profiles.ts";
import { readSecretFile } from "../config/secret-files.ts";
import { cannotRead } from "../terminal/file-fault.ts";
import { configuredToken, placeOf, type ServerPlace } from "./server-call.ts";

/** The server and secrets that a command line names. */
export interface ServerChoice {
  readonly url?: string | undefined;
  readonly profile?: string | undefined;
  /** File with a bearer key. */
  readonly keyFile?: string | undefined;
  /** Query token. */
  readonly token?: string | undefined;
}

export interface ChosenServer extends ServerPlace {
  /** Bearer key. */
  readonly key: string | undefined;
  /** Query token. */
  readonly token: string | undefined;
  /** What named the server, such as `profile "production"`. */
  readonly namedBy: string;
}

/**
 * Chooses the server to call: that of the URL, that of the profile of `--profile` or `ENGAGE_PROFILE`, the configured
 * one, or without a configuration the profile in use.
 * @throws UserError, or ConfigError when the configuration is wrong
 */
export function chooseServer(options: ConfigOptions, choice: ServerChoice): ChosenServer {
  const { url, keyFile } = choice;
  const profile = chooseProfile(options, choice);
  const keyPath = keyFile ?? (profile?.key === undefined ? profile?.keyFile : undefined);
  const key = keyPath === undefined ? (profile?.key ?? keyFrom(options.env)) : readKey(keyPath);
  const token = choice.token ?? profile?.token ?? tokenFrom(options.env);
  if (profile !== undefined)
    return { ...placeOf(options, profile.url), key, token, namedBy: profile.namedBy };
  const place = placeOf(options, url);
  if (url !== undefined) return { ...place, key, token, namedBy: "--url" };
  const file = configFileOf(options);
  const namedBy = file === undefined ? "the demo" : `configuration ${JSON.stringify(file)}`;
  return { ...place, key, token: token ?? configuredToken(options), namedBy };
}

function chooseProfile(
  options: ConfigOptions,
  { url, profile }: ServerChoice,
): (Profile & { readonly namedBy: string }) | undefined {
  if (url !== undefined) return undefined;
  const named = profile ?? profileFrom(options.env);
  if (named === undefined && configFileOf(options) !== undefined) return undefined;
  const profiles = readProfiles(options.env);
  const name = named ?? profiles.current;
  if (name === undefined) return undefined;
  return { ...profileNamed(profiles, name), namedBy: `profile ${JSON.stringify(name)}` };
}

function readKey(file: string): string {
  try {
    return readSecretFile(file);
  } catch (error) {
    throw cannotRead(file, error, "key file");
  }
}
