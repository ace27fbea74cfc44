import { resolve } from "node:path";
import { checkUrl } from "../client/server-call.ts";
import type { Environment } from "../config/environment/environment.ts";
import {
  checkProfileName,
  type Profile,
  type Profiles,
  profileNamed,
  readProfiles,
  writeProfiles,
} from "../config/profiles.ts";
import { checkReadable } from "../terminal/file-fault.ts";
import { readInput } from "../terminal/read-input.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { type Output, writeForeign } from "../terminal/terminal.ts";
import { UsageError } from "../terminal/user-error.ts";

export interface ProfileStreams {
  readonly env: Environment;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: Output;
}

export interface SetOptions {
  readonly url?: string;
  /** A file with a key, or `-` for a key on standard input. */
  readonly keyFile?: string;
  /** A file with a token, or `-` for a token on standard input. */
  readonly tokenFile?: string;
  readonly use?: true;
}

interface JsonOption {
  readonly json?: true;
}

/** A profile without its secrets. */
interface ListedProfile {
  readonly name: string;
  readonly url: string;
  readonly key: string;
  readonly hasToken: boolean;
  readonly isInUse: boolean;
}

const columns: readonly Column<ListedProfile>[] = [
  { head: "PROFILE", of: ({ name }) => name },
  { head: "IN USE", of: ({ isInUse }) => (isInUse ? "yes" : "") },
  { head: "KEY", of: ({ key }) => key },
  { head: "TOKEN", of: ({ hasToken }) => (hasToken ? "stored" : "") },
  { head: "URL", of: ({ url }) => url },
];

/** Prints the profiles by name. */
export function listProfiles({ env, stdout }: ProfileStreams, options: JsonOption): void {
  const { current, profiles } = readProfiles(env);
  const rows = Object.entries(profiles)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, profile]) => listed(name, profile, current));
  if (options.json) for (const row of rows) writeForeign(stdout, `${JSON.stringify(row)}\n`);
  else stdout.write(rows.length === 0 ? "no profiles\n" : formatTable(columns, rows));
}

function listed(name: string, profile: Profile, current: string | undefined): ListedProfile {
  const key = profile.key === undefined ? (profile.keyFile ?? "") : "stored";
  return { name, url: profile.url, key, hasToken: profile.token !== undefined, isInUse: name === current };
}

/** Creates a profile or changes the given parts of one. @throws UserError */
export async function setProfile(
  name: string,
  options: SetOptions & JsonOption,
  streams: ProfileStreams,
): Promise<void> {
  const { env, cwd, stdin } = streams;
  checkProfileName(name);
  const { url, keyFile, tokenFile, use } = options;
  if (url !== undefined) checkUrl(url);
  if (keyFile === "-" && tokenFile === "-")
    throw new UsageError("standard input is either the key or the token");
  const before = readProfiles(env);
  const known = Object.hasOwn(before.profiles, name) ? before.profiles[name] : undefined;
  const address = url ?? known?.url;
  if (address === undefined) throw new UsageError(`profile ${JSON.stringify(name)} is new, give --url`);
  const profile: Profile = {
    ...known,
    url: address,
    ...(keyFile !== undefined && (await keyOf(keyFile, cwd, stdin))),
    ...(tokenFile !== undefined && { token: await firstLineOf(tokenFile, stdin, "token") }),
  };
  const profiles = { ...before.profiles, [name]: profile };
  save(streams, { ...before, profiles, ...(use && { current: name }) });
  print(streams, options, listed(name, profile, use ? name : before.current), "is stored");
}

/** A stored key replaces a file, and the reverse. */
async function keyOf(
  file: string,
  cwd: string,
  stdin: NodeJS.ReadableStream,
): Promise<Pick<Profile, "key" | "keyFile">> {
  if (file === "-") return { key: await firstLineOf(file, stdin, "key"), keyFile: undefined };
  const path = resolve(cwd, file);
  checkReadable(path);
  return { key: undefined, keyFile: path };
}

async function firstLineOf(file: string, stdin: NodeJS.ReadableStream, what: string): Promise<string> {
  const { name, text } = await readInput(file, stdin);
  const [line = ""] = text.split(/\r?\n/, 1);
  if (line === "") throw new UsageError(`the first line of ${name} is empty, it must be the ${what}`);
  return line;
}

/** Makes a profile the one in use. @throws UserError */
export function useProfile(name: string, options: JsonOption, streams: ProfileStreams): void {
  const before = readProfiles(streams.env);
  const profile = profileNamed(before, name);
  save(streams, { ...before, current: name });
  print(streams, options, listed(name, profile, name), "is in use");
}

/** Removes a profile. @throws UserError */
export function removeProfile(name: string, options: JsonOption, streams: ProfileStreams): void {
  const { current, profiles } = readProfiles(streams.env);
  const removed = profileNamed({ profiles }, name);
  const left = Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name));
  save(streams, { profiles: left, ...(current !== undefined && current !== name && { current }) });
  print(streams, options, listed(name, removed, undefined), "is removed");
}

function save({ env }: ProfileStreams, profiles: Profiles): void {
  writeProfiles(env, profiles);
}

function print({ stdout }: ProfileStreams, { json }: JsonOption, profile: ListedProfile, what: string): void {
  const { name, url } = profile;
  writeForeign(stdout, json ? `${JSON.stringify(profile)}\n` : `profile ${name} (${url}) ${what}\n`);
}
