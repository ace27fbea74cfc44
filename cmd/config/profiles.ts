import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { shortName, shortNameRule } from "../../base/text/short-name.ts";
import { describeReason } from "../../base/text/system-error.ts";
import { cannotWrite } from "../terminal/file-fault.ts";
import { unknownName } from "../terminal/unknown-name.ts";
import { UserError } from "../terminal/user-error.ts";
import { type Environment, userFolderFrom } from "./environment/environment.ts";
import { formatPath } from "./problem.ts";

/** Whether a text is the URL of a server. It has no user and no password, which would be shown. */
export function isServerUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

const profile = z.strictObject({
  /** The server. */
  url: z.string().refine(isServerUrl, 'must be a URL such as "http://127.0.0.1:8080"'),
  /** The bearer key, or a file with it. */
  key: z.string().min(1).optional(),
  keyFile: z.string().min(1).optional(),
  /** The query token. */
  token: z.string().min(1).optional(),
});

const schema = z.strictObject({
  /** The profile to use when no other is named. */
  current: z.string().optional(),
  profiles: z.record(z.string(), profile).default({}),
});

/** A server and what a user shows to it. */
export type Profile = z.output<typeof profile>;
export type Profiles = z.output<typeof schema>;

/** Checks the name of a new profile. @throws UserError */
export function checkProfileName(name: string): void {
  if (shortName.test(name)) return;
  throw new UserError(`name of the profile is ${JSON.stringify(name)}, ${shortNameRule}`);
}

/** Returns the file with a user's profiles; undefined for a user without a home folder. */
export function profilesFile(env: Environment): string | undefined {
  const folder = userFolderFrom(env);
  return folder === undefined ? undefined : join(folder, "profiles.yaml");
}

/** Reads the profiles of a user. Without a file there are none. @throws UserError, which quotes no secret */
export function readProfiles(env: Environment): Profiles {
  const file = profilesFile(env);
  const none: Profiles = { profiles: {} };
  if (file === undefined) return none;
  let value: unknown;
  try {
    value = parse(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return none;
    const reason = error instanceof Error && "syscall" in error ? describeReason(error) : "it is not YAML";
    throw new UserError(`cannot read the profiles in ${JSON.stringify(file)}: ${reason}`, { cause: error });
  }
  const { data, error } = schema.safeParse(value ?? {});
  if (data !== undefined) return data;
  const faults = error.issues.map(({ path, message }) => `${formatPath(path as string[])} ${message}`);
  throw new UserError(`the profiles in ${JSON.stringify(file)} are wrong: ${faults.join("; ")}`);
}

/** Stores the profiles of a user, readable only by the user. @throws UserError */
export function writeProfiles(env: Environment, profiles: Profiles): void {
  const file = profilesFile(env);
  if (file === undefined) throw new UserError("profiles need a home folder: set HOME or XDG_CONFIG_HOME");
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.new`;
    writeFileSync(draft, stringify(profiles), { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

/** Returns a profile by its name. @throws UserError with the nearest name, or all names */
export function profileNamed({ profiles }: Profiles, name: string): Profile {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found === undefined) throw unknownName("profile", name, Object.keys(profiles));
  return found;
}
