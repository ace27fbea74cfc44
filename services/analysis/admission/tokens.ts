import type { RateLimit } from "../../../base/async/token-bucket.ts";
import { sha256Hex } from "../../../base/text/digest.ts";

/** A query token; only its digest is kept. */
export interface TokenRule {
  /** Name of the token in lists and logs. */
  readonly name: string;
  /** SHA-256 as 64 hexadecimal digits, as `sha256Hex` returns it. */
  readonly sha256: string;
  /** Ids of the projects to which it has access; `*` for all, which makes it a root token. */
  readonly projects: "*" | readonly number[];
  /** How often it may be used. */
  readonly rateLimit?: RateLimit | undefined;
}

/** Finds tokens; its rules may change while it is used. */
export interface TokenList {
  find(token: string): TokenRule | undefined;
}

/** Creates a list of tokens; the first of two rules with the same token counts. */
export function createTokenList(rules: readonly TokenRule[]): TokenList {
  const byDigest = new Map(rules.toReversed().map((rule) => [rule.sha256.toLowerCase(), rule]));
  // The time of the lookup depends on the digest only, which does not disclose the token.
  return { find: (token) => byDigest.get(sha256Hex(token)) };
}

export function isReached({ projects }: TokenRule, projectId: number): boolean {
  return projects === "*" || projects.includes(projectId);
}
