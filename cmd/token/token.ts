import { randomBytes } from "node:crypto";
import type { Writable } from "node:stream";
import { makePrivateFolder } from "../../base/files/private.ts";
import { hashToken } from "../../services/analysis/admission/tokens.ts";
import type { Config } from "../config/config.ts";
import { changeTokenFile, type KeptToken, readTokenFile, tokenFileOf } from "../serve/analysis/token-file.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { UserError } from "../terminal/user-error.ts";

export interface CreateTokenOptions {
  readonly project?: readonly string[];
  readonly allProjects?: boolean;
  /** Queries a second. */
  readonly rate?: number;
  readonly json?: boolean;
}

interface Surroundings {
  readonly stdout: Writable;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly random?: (bytes: number) => Buffer;
}

/** Makes a random token and keeps its digest in the data folder; the token itself is shown once. */
export function createToken(
  config: Config,
  name: string,
  options: CreateTokenOptions,
  { stdout, now = Date.now, random = randomBytes }: Surroundings,
): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new UserError(
      `${JSON.stringify(name)} cannot name a token: give 1 to 64 letters, digits, dots, dashes or underscores`,
    );
  }
  // 256 random bits: a hash without salt cannot be turned back.
  const token = `engage_${random(32).toString("base64url")}`;
  const { rate } = options;
  const kept: KeptToken = {
    name,
    sha256: hashToken(token),
    projects: projectsOf(config, options),
    ...(rate !== undefined && { rateLimit: { perSecond: rate, burst: Math.max(1, Math.ceil(rate)) } }),
    created: new Date(now()).toISOString(),
  };
  makePrivateFolder(config.data);
  changeTokenFile(tokenFileOf(config.data), (tokens) => {
    const isTaken = [...tokens, ...config.analysis.tokens].some((other) => other.name === name);
    if (isTaken) throw new UserError(`there is a token ${JSON.stringify(name)} already, revoke it first`);
    return [...tokens, kept];
  });
  if (options.json) {
    stdout.write(`${JSON.stringify({ name, projects: kept.projects, token })}\n`);
    return;
  }
  const reach = kept.projects === "*" ? "all projects" : `project ${kept.projects.join(", ")}`;
  stdout.write(
    `token for ${reach}, shown only now, to be sent as ?token=… or "authorization: Bearer …":\n\n`,
  );
  stdout.write(`  ${token}\n\na running server takes it at once\n`);
}

function projectsOf(config: Config, { project = [], allProjects }: CreateTokenOptions): "*" | number[] {
  if (allProjects) return "*";
  const ids = config.projects.map(({ id }) => id);
  const valid = `projects are ${ids.join(", ") || "none"}`;
  if (project.length === 0)
    throw new UserError(`say which projects: --project ID… or --all-projects; ${valid}`);
  return project.map((text) => {
    const id = Number(text);
    if (ids.includes(id)) return id;
    throw new UserError(`there is no project ${JSON.stringify(text)}, ${valid}`);
  });
}

interface ListedToken extends Pick<KeptToken, "name" | "projects" | "rateLimit"> {
  /** Undefined for one in the configuration. */
  readonly created: string | undefined;
}

const columns: readonly Column<ListedToken>[] = [
  { head: "NAME", of: ({ name }) => name },
  { head: "PROJECTS", of: ({ projects }) => (projects === "*" ? "all" : projects.join(", ")) },
  { head: "A SECOND", of: ({ rateLimit }) => (rateLimit === undefined ? "" : String(rateLimit.perSecond)) },
  { head: "CREATED", of: ({ created }) => created ?? "in the configuration" },
];

/** Prints what is known of all tokens; nobody knows the tokens themselves. */
export function listTokens(
  config: Config,
  { json }: { readonly json?: boolean },
  { stdout }: Surroundings,
): void {
  const tokens: ListedToken[] = [
    ...config.analysis.tokens.map(({ name, projects, rateLimit }) => ({
      name,
      projects,
      rateLimit,
      created: undefined,
    })),
    ...readTokenFile(tokenFileOf(config.data)),
  ];
  if (json) {
    for (const { name, projects, rateLimit, created } of tokens)
      stdout.write(`${JSON.stringify({ name, projects, rateLimit, created })}\n`);
    return;
  }
  stdout.write(tokens.length === 0 ? "no tokens\n" : formatTable(columns, tokens));
}

/** Takes a token out of the data folder. */
export function revokeToken(config: Config, name: string, { stdout }: Surroundings): void {
  changeTokenFile(tokenFileOf(config.data), (tokens) => {
    const left = tokens.filter((token) => token.name !== name);
    if (left.length < tokens.length) return left;
    const isConfigured = config.analysis.tokens.some((token) => token.name === name);
    const hint = isConfigured
      ? "it stands in the configuration, take it out there"
      : "see 'engage token list'";
    throw new UserError(`there is no token ${JSON.stringify(name)} to revoke: ${hint}`);
  });
  stdout.write(`${JSON.stringify(name)} is revoked; a running server refuses it within a second\n`);
}
