import type { WorkItem } from "../../../store/inbox/inbox.ts";

/** The contents of a lease token: the inbox's token and what the retry of its messages depends on. */
export type LeaseToken = Pick<WorkItem, "token" | "target" | "attempt" | "acceptedClockMs" | "replay">;

/**
 * Encodes all that settling needs, so that any replica can settle. A forged token does no harm: the inbox verifies its
 * own part, and the rest only affects waiting times.
 */
export function encodeLeaseToken({ token, target, attempt, acceptedClockMs, replay }: LeaseToken): string {
  return Buffer.from(JSON.stringify([token, target, attempt, acceptedClockMs, replay])).toString("base64url");
}

/** Decodes a token; undefined if it is malformed. */
export function decodeLeaseToken(text: string): LeaseToken | undefined {
  const parts = parseList(Buffer.from(text, "base64url").toString("utf8"));
  const [token, target, attempt, acceptedClockMs, replay] = parts;
  if (typeof token !== "string" || typeof target !== "string") return undefined;
  if (!Number.isSafeInteger(attempt) || !Number.isFinite(acceptedClockMs)) return undefined;
  if (replay !== null && typeof replay !== "string") return undefined;
  return { token, target, attempt: Number(attempt), acceptedClockMs: Number(acceptedClockMs), replay };
}

function parseList(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
