import type { RateLimit } from "../../../base/async/token-bucket.ts";
import { sha256Hex } from "../../../base/text/digest.ts";

/** A query token; only its digest is kept. */
export interface TokenRule {
  /** Stands for the token in lists and logs. */
  readonly name: string;
  /** SHA-256 as 64 hexadecimal digits, as `sha256Hex` makes it. */
  readonly sha256: string;
  /** Ids of the projects it reaches; `*` for all, which makes it a root token. */
  readonly projects: "*" | readonly number[];
  /** How often it may be used. */
  readonly rateLimit?: RateLimit | undefined;
}

/** Finds tokens; what it holds may change while it is used. */
export interface TokenBook {
  find(token: string): TokenRule | undefined;
}

/** Where two rules have the same token, the first counts. */
export function createTokenBook(rules: readonly TokenRule[]): TokenBook {
  const byDigest = new Map(rules.toReversed().map((rule) => [rule.sha256.toLowerCase(), rule]));
  // How long the look-up takes depends on the digest alone, from which nobody learns the token.
  return { find: (token) => byDigest.get(sha256Hex(token)) };
}

export function isReached({ projects }: TokenRule, projectId: number): boolean {
  return projects === "*" || projects.includes(projectId);
}
