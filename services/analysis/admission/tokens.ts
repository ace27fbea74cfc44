import type { RateLimit } from "../../../base/async/token-bucket.ts";
import { sha256Hex } from "../../../base/text/digest.ts";
import { AnalysisRefusal, returnCodes } from "../refusal/refusal.ts";

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
  /** @throws AnalysisRefusal while the tokens cannot be read */
  find(token: string): TokenRule | undefined;
}

/** Creates a list of tokens; the first of two rules with the same token counts. */
export function createTokenList(rules: readonly TokenRule[]): TokenList {
  const byDigest = new Map(rules.toReversed().map((rule) => [rule.sha256.toLowerCase(), rule]));
  // The time of the lookup depends on the digest only, which does not disclose the token.
  return { find: (token) => byDigest.get(sha256Hex(token)) };
}

export function isReached({ projects }: Pick<TokenRule, "projects">, projectId: number): boolean {
  return projects === "*" || projects.includes(projectId);
}

/** @throws AnalysisRefusal with -1008 for an empty token, and with -1002 for an unknown one */
export function findToken(tokens: TokenList, token: string): TokenRule {
  if (token === "") throw new AnalysisRefusal(returnCodes.noToken, "Parameter (token) is empty");
  const rule = tokens.find(token);
  if (rule === undefined) throw new AnalysisRefusal(returnCodes.token, "the token is unknown");
  return rule;
}

/** Returns the bearer token of the Authorization header; empty without one. */
export function bearerOf(header: Pick<Headers, "get">): string {
  return /^Bearer +(\S+) *$/i.exec(header.get("authorization") ?? "")?.[1] ?? "";
}
