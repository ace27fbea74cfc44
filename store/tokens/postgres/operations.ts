import { all, first, type Operation, run, type Session } from "../../sql/query.ts";
import { newKey } from "../../sql/values.ts";
import type { StoredToken } from "../tokens.ts";

/** The tokens, and the key of the change after which they were read. */
export interface TokenState {
  readonly key: number;
  readonly tokens: readonly StoredToken[];
}

interface TokenRow {
  readonly name: string;
  readonly sha256: string;
  readonly projects: string | null;
  readonly per_second: number | null;
  readonly burst: number | null;
  readonly created: string;
}

/** Returns the key of the last change. */
export function* key(_session: Session): Operation<number> {
  return (yield* first<{ key: number }>("SELECT key FROM {state} WHERE id = 1"))!.key;
}

/** Returns the tokens, which may be newer than the key. */
export function* read(session: Session): Operation<TokenState> {
  const known = yield* key(session);
  const rows = yield* all<TokenRow>(
    "SELECT name, sha256, projects, per_second, burst, created FROM {tokens} ORDER BY number",
  );
  return { key: known, tokens: rows.map(tokenOf) };
}

/** Returns false when there is a token of this name. */
export function* add(_session: Session, token: StoredToken): Operation<boolean> {
  const { name, sha256, projects, rateLimit, created } = token;
  const added = yield* first(
    `INSERT INTO {tokens} (name, sha256, projects, per_second, burst, created) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (name) DO NOTHING RETURNING number`,
    name,
    sha256,
    projects === "*" ? null : JSON.stringify(projects),
    rateLimit?.perSecond ?? null,
    rateLimit?.burst ?? null,
    created,
  );
  if (added !== null) yield* change();
  return added !== null;
}

/** Returns false when there is no token of this name. */
export function* remove(_session: Session, name: string): Operation<boolean> {
  const removed = yield* first("DELETE FROM {tokens} WHERE name = $1 RETURNING number", name);
  if (removed !== null) yield* change();
  return removed !== null;
}

function* change(): Operation<void> {
  yield* run("UPDATE {state} SET key = $1 WHERE id = 1", newKey());
}

function tokenOf({ name, sha256, projects, per_second, burst, created }: TokenRow): StoredToken {
  const common = { name, sha256, created, projects: projects === null ? "*" : JSON.parse(projects) } as const;
  if (per_second === null || burst === null) return common;
  return { ...common, rateLimit: { perSecond: per_second, burst } };
}

export const operations = { key, read, add, remove };
