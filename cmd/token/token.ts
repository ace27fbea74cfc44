import { randomBytes } from "node:crypto";
import type { Writable } from "node:stream";
import { sha256Hex } from "../../base/text/digest.ts";
import { shortName, shortNameRule } from "../../base/text/short-name.ts";
import type { StoredToken } from "../../store/tokens/tokens.ts";
import type { Config } from "../config/config.ts";
import { listProjects, noProject } from "../config/known-projects.ts";
import { withTokenStore } from "../serve/analysis/tokens.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { unknownName } from "../terminal/unknown-name.ts";
import { UserError } from "../terminal/user-error.ts";

export interface CreateTokenOptions {
  readonly project?: readonly string[];
  readonly allProjects?: boolean;
  /** Queries per second. */
  readonly rate?: number;
  readonly json?: boolean;
}

interface Surroundings {
  readonly stdout: Writable;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly random?: (bytes: number) => Buffer;
}

/** Creates a random token and stores its digest; the token itself is printed once. */
export async function createToken(
  config: Config,
  name: string,
  options: CreateTokenOptions,
  { stdout, now = Date.now, random = randomBytes }: Surroundings,
): Promise<void> {
  if (!shortName.test(name))
    throw new UserError(`name of the token is ${JSON.stringify(name)}, ${shortNameRule}`);
  // With 256 random bits a hash without salt cannot be reversed.
  const token = `engage_${random(32).toString("base64url")}`;
  const { rate } = options;
  const stored: StoredToken = {
    name,
    sha256: sha256Hex(token),
    projects: projectsOf(config, options),
    ...(rate !== undefined && { rateLimit: { perSecond: rate, burst: Math.max(1, Math.ceil(rate)) } }),
    created: new Date(now()).toISOString(),
  };
  const isConfigured = config.analysis.tokens.some((other) => other.name === name);
  const isAdded = !isConfigured && (await withTokenStore(config, (tokens) => tokens.add(stored)));
  if (!isAdded) throw new UserError(`token ${JSON.stringify(name)} exists already, revoke it first`);
  if (options.json) {
    stdout.write(`${JSON.stringify({ name, projects: stored.projects, token })}\n`);
    return;
  }
  const reach = stored.projects === "*" ? "all projects" : `project ${stored.projects.join(", ")}`;
  stdout.write(
    `token for ${reach}; it is shown only once. Send it as ?token=… or "authorization: Bearer …":\n\n`,
  );
  stdout.write(`  ${token}\n\na running server accepts it at once\n`);
}

function projectsOf(config: Config, { project = [], allProjects }: CreateTokenOptions): "*" | number[] {
  if (allProjects) return "*";
  const ids = config.projects.map(({ id }) => id);
  if (project.length === 0)
    throw new UserError(`--project or --all-projects is required, ${listProjects(ids)}`);
  return project.map((text) => {
    const id = Number(text);
    if (ids.includes(id)) return id;
    throw new UserError(noProject(JSON.stringify(text), ids));
  });
}

interface ListedToken extends Pick<StoredToken, "name" | "projects" | "rateLimit"> {
  /** Undefined for one in the configuration. */
  readonly created: string | undefined;
}

const columns: readonly Column<ListedToken>[] = [
  { head: "NAME", of: ({ name }) => name },
  { head: "PROJECTS", of: ({ projects }) => (projects === "*" ? "all" : projects.join(", ")) },
  { head: "PER SECOND", of: ({ rateLimit }) => (rateLimit === undefined ? "" : String(rateLimit.perSecond)) },
  { head: "CREATED", of: ({ created }) => created ?? "in the configuration" },
];

/** Prints all tokens without their values, which are not stored. */
export async function listTokens(
  config: Config,
  { json }: { readonly json?: boolean },
  { stdout }: Surroundings,
): Promise<void> {
  const tokens: ListedToken[] = [
    ...config.analysis.tokens.map(({ name, projects, rateLimit }) => ({
      name,
      projects,
      rateLimit,
      created: undefined,
    })),
    ...(await withTokenStore(config, (stored) => stored.list())),
  ];
  if (json) {
    for (const { name, projects, rateLimit, created } of tokens)
      stdout.write(`${JSON.stringify({ name, projects, rateLimit, created })}\n`);
    return;
  }
  stdout.write(tokens.length === 0 ? "no tokens\n" : formatTable(columns, tokens));
}

/** Removes a token that was created by a command. */
export async function revokeToken(
  config: Config,
  name: string,
  { json }: { readonly json?: boolean },
  { stdout }: Surroundings,
): Promise<void> {
  const others = await withTokenStore(config, async (tokens) =>
    (await tokens.remove(name)) ? undefined : await tokens.list(),
  );
  if (others !== undefined) {
    if (config.analysis.tokens.some((token) => token.name === name)) {
      const reason = "it is in the configuration, remove it there";
      throw new UserError(`token ${JSON.stringify(name)} cannot be revoked: ${reason}`);
    }
    throw unknownName(
      "token",
      name,
      others.map((token) => token.name),
    );
  }
  if (json) stdout.write(`${JSON.stringify({ name, revoked: true })}\n`);
  else stdout.write(`${JSON.stringify(name)} is revoked; a running server refuses it within a second\n`);
}
